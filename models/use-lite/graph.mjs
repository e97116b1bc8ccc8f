// Universal Sentence Encoder Lite as an ONNX graph: the computation of the package's TensorFlow graph, for a
// padded batch with a mask instead of a sparse list of tokens.
//
//   in   input_ids, attention_mask   int64   [batch, tokens]
//   out  sentence_embedding          float32 [batch, 512], of length 1
import { FLOAT, INT64, node, tensor, value } from './onnx.mjs';

const DIMENSION = 512;
const VOCABULARY = 8002;
const EMBEDDED = 256;
const HEADS = 4;
/** Added to the attention of padding, which then has no weight. */
const MASKED = -1e9;

const ENCODER = 'module_apply_default/Encoder_en/KonaTransformer/Encode/';
const VARIABLES = 'module/Encoder_en/KonaTransformer/Encode/';
const STACK = `${ENCODER}TransformerStack/`;
const TANH = 'module/Encoder_en/hidden_layers/tanh_layer_0/';
/** Suffix of the variables that TensorFlow kept in partitions. */
const WHOLE = '/ConcatPartitions/concat';

/** Collects nodes and constants; a node is named after its operator and a running number. */
class Graph {
  nodes = [];
  constants = [];
  #count = 0;

  #named(opType) {
    this.#count += 1;
    return `${opType}_${this.#count}`;
  }

  /** Adds a node with one output and returns the output's name. */
  add(opType, inputs, attributes) {
    const name = this.#named(opType);
    this.nodes.push(node(opType, name, inputs, [name], attributes));
    return name;
  }

  addWithOutputs(count, opType, inputs, attributes) {
    const name = this.#named(opType);
    const outputs = Array.from({ length: count }, (_, index) => `${name}_${index}`);
    this.nodes.push(node(opType, name, inputs, outputs, attributes));
    return outputs;
  }

  floats(name, dims, data) {
    this.constants.push(tensor(name, FLOAT, dims, data));
    return name;
  }

  scalar(name, number) {
    return this.floats(name, [1], Float32Array.of(number));
  }

  integers(name, ...numbers) {
    this.constants.push(tensor(name, INT64, [numbers.length], BigInt64Array.from(numbers, BigInt)));
    return name;
  }
}

/** @param {ReturnType<typeof import('./weights.mjs').readWeights>} weight */
export function useLiteGraph(weight) {
  const graph = new Graph();
  const input = embedding(graph, weight);
  const mask = graph.add('Cast', ['attention_mask'], { to: FLOAT });
  const padding = graph.add('Mul', [graph.add('Sub', ['one', mask]), 'neg']);
  const attentionBias = graph.add('Unsqueeze', [padding, 'ax12']);
  const first = transformerLayer(graph, weight, 0, input, attentionBias);
  const second = transformerLayer(graph, weight, 1, first, attentionBias);
  sentence(graph, weight, second, mask);
  return {
    node: graph.nodes,
    name: 'use_lite',
    initializer: graph.constants,
    input: ['input_ids', 'attention_mask'].map((name) => value(name, INT64, ['batch', 'tokens'])),
    output: [value('sentence_embedding', FLOAT, ['batch', DIMENSION])],
  };
}

/** Twice the token's embedding (the original adds it twice) plus sine and cosine of its position. */
function embedding(graph, weight) {
  const timescales = weight(`${STACK}Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`).data;
  graph.floats('emb', [VOCABULARY, EMBEDDED], weight('module/Embeddings_en').data);
  graph.floats('inv_ts', [1, EMBEDDED / 2], timescales);
  graph.integers('ax1', 1);
  graph.integers('ax2', 2);
  graph.integers('ax12', 1, 2);
  graph.scalar('one', 1);
  graph.scalar('neg', MASKED);
  graph.integers('sc1', 1);
  graph.integers('sc0', 0);
  graph.scalar('two', 2);
  const embedded = graph.add('Mul', [graph.add('Gather', ['emb', 'input_ids'], { axis: 0 }), 'two']);
  const tokens = graph.add('Gather', [graph.add('Shape', ['input_ids']), 'sc1'], { axis: 0 });
  const position = graph.add('Cast', [graph.add('Range', ['sc0', tokens, 'sc1'])], { to: FLOAT });
  const angle = graph.add('Mul', [graph.add('Unsqueeze', [position, 'ax1']), 'inv_ts']);
  const sine = graph.add('Sin', [angle]);
  const cosine = graph.add('Cos', [angle]);
  return graph.add('Add', [embedded, graph.add('Concat', [sine, cosine], { axis: 1 })]);
}

/** One pre-norm transformer layer: attention and feed-forward, each added to its input. */
function transformerLayer(graph, weight, index, input, attentionBias) {
  const layer = `Layer_${index}/TransformerLayer/`;
  const tag = `l${index}`;
  const normalised = layerNorm(graph, weight, input, `${ENCODER}${layer}`, `${tag}_ln1`);
  // The input of the first layer has half the width: it is widened before it is added.
  const residual =
    index === 0
      ? linear(graph, weight, input, {
          kernel: `${ENCODER}${layer}dense/kernel${WHOLE}`,
          bias: `${ENCODER}${layer}dense/bias${WHOLE}`,
          tag: `${tag}_adj`,
        })
      : input;
  const attended = attention(graph, weight, index, normalised, attentionBias);
  const middle = graph.add('Add', [attended, residual]);
  const again = layerNorm(graph, weight, middle, `${ENCODER}${layer}FFN/`, `${tag}_ln2`);
  const wide = linear(graph, weight, again, feedForward(layer, tag, 1));
  const narrow = linear(graph, weight, graph.add('Relu', [wide]), feedForward(layer, tag, 2));
  return graph.add('Add', [narrow, middle]);
}

function feedForward(layer, tag, step) {
  return {
    kernel: `${STACK}${layer}FFN/conv${step}/Tensordot/Reshape_1`,
    bias: `${ENCODER}${layer}FFN/conv${step}/bias${WHOLE}`,
    tag: `${tag}_ff${step}`,
  };
}

/** Scaled dot-product attention with four heads. */
function attention(graph, weight, index, input, attentionBias) {
  const layer = `Layer_${index}/TransformerLayer/MultiheadAttention/`;
  const tag = `l${index}`;
  const width = index === 0 ? EMBEDDED : DIMENSION;
  const headWidth = width / HEADS;
  const scale = weight(`${STACK}${layer}mul/y`).data[0];
  if (Math.abs(scale - headWidth ** -0.5) > 1e-6)
    throw new Error(`layer ${index}: unexpected scale ${scale}`);

  const all = linear(graph, weight, input, {
    kernel: `${VARIABLES}${layer}qkv_transform_single/kernel/part_0`,
    bias: `${ENCODER}${layer}qkv_transform_single/bias${WHOLE}`,
    tag: `${tag}_qkv`,
  });
  const widths = graph.integers(`sp${index}`, width, width, width);
  const [query, key, content] = graph.addWithOutputs(3, 'Split', [all, widths], { axis: -1 });
  const byHead = graph.integers(`hs${index}`, 0, 0, HEADS, headWidth);
  const joined = graph.integers(`ho${index}`, 0, 0, width);
  const heads = (part, perm) => graph.add('Transpose', [graph.add('Reshape', [part, byHead])], { perm });

  const queries = heads(query, [0, 2, 1, 3]);
  const scaled = graph.add('Mul', [queries, graph.scalar(`sc_${index}`, scale)]);
  const keys = heads(key, [0, 2, 3, 1]);
  const contents = heads(content, [0, 2, 1, 3]);
  const scores = graph.add('Add', [graph.add('MatMul', [scaled, keys]), attentionBias]);
  const mixed = graph.add('MatMul', [graph.add('Softmax', [scores], { axis: -1 }), contents]);
  const together = graph.add('Transpose', [mixed], { perm: [0, 2, 1, 3] });
  return linear(graph, weight, graph.add('Reshape', [together, joined]), {
    kernel: `${VARIABLES}${layer}output_transform_single/kernel/part_0`,
    bias: `${ENCODER}${layer}output_transform_single/bias${WHOLE}`,
    tag: `${tag}_out`,
  });
}

/** The mean over all tokens except padding, one dense layer with tanh, scaled to length 1. */
function sentence(graph, weight, tokens, mask) {
  const kept = graph.add('Mul', [tokens, graph.add('Unsqueeze', [mask, 'ax2'])]);
  const sum = graph.add('ReduceSum', [kept, 'ax1'], { keepdims: 0 });
  const count = graph.add('Max', [graph.add('ReduceSum', [mask, 'ax1'], { keepdims: 1 }), 'one']);
  const mean = graph.add('Div', [sum, count]);
  const dense = linear(graph, weight, mean, { kernel: `${TANH}weights`, bias: `${TANH}bias`, tag: 'tanh' });
  const bounded = graph.add('Tanh', [dense]);
  const squares = graph.add('ReduceSum', [graph.add('Mul', [bounded, bounded]), 'ax1'], { keepdims: 1 });
  const length = graph.add('Sqrt', [graph.add('Max', [squares, graph.scalar('e12', 1e-12)])]);
  graph.nodes.push(node('Div', undefined, [bounded, length], ['sentence_embedding']));
}

function layerNorm(graph, weight, input, scope, tag) {
  const epsilon = weight(`${STACK}Layer_1/TransformerLayer/FFN/layer_prepostprocess/layer_norm/Cast/x`)
    .data[0];
  const part = (kind) => weight(`${scope}layer_prepostprocess/layer_norm/layer_norm_${kind}${WHOLE}`);
  const scale = graph.floats(`${tag}_g`, part('scale').shape, part('scale').data);
  const shift = graph.floats(`${tag}_b`, part('bias').shape, part('bias').data);
  return graph.add('LayerNormalization', [input, scale, shift], { axis: -1, epsilon: { float: epsilon } });
}

function linear(graph, weight, input, { kernel, bias, tag }) {
  const matrix = weight(kernel);
  const [rows, columns] = matrix.shape.slice(-2);
  const product = graph.add('MatMul', [input, graph.floats(`${tag}_w`, [rows, columns], matrix.data)]);
  return graph.add('Add', [product, graph.floats(`${tag}_bias`, [columns], weight(bias).data)]);
}
