import onnxProto from 'onnx-proto';

const { onnx } = onnxProto;
const { FLOAT, INT64 } = onnx.TensorProto.DataType;

/**
 * A small BERT encoder in the form of transformers: few layers, 12 heads, random weights. `HIDDEN` is that of
 * the models of the registry, so that it can replace any of them.
 */
const HIDDEN = 384;
const HEADS = 12;
const INNER = 64;
const POSITIONS = 512;
const EPSILON = 1e-12;

/** Each `[rows, columns]` in row order; vectors have one row. */
type Weights = Map<string, Float32Array>;

export interface TinyBert {
  onnx: Uint8Array;
  /** Hidden states `[tokens][HIDDEN]` of one text, computed here without ONNX Runtime. */
  forward(ids: readonly number[]): Float64Array[];
}

export function tinyBert(vocabulary: number, seed: number, layers: number): TinyBert {
  const weights = makeWeights(vocabulary, seed, layers);
  return { onnx: encode(weights, vocabulary, layers), forward: (ids) => forward(weights, ids, layers) };
}

function makeWeights(vocabulary: number, seed: number, layers: number): Weights {
  const random = mulberry32(seed);
  const numbers = (count: number, scale: number, around = 0) =>
    Float32Array.from({ length: count }, () => around + (random() * 2 - 1) * scale);
  const weights: Weights = new Map();
  weights.set('words', numbers(vocabulary * HIDDEN, 1));
  weights.set('positions', numbers(POSITIONS * HIDDEN, 0.3));
  weights.set('types', numbers(2 * HIDDEN, 0.3));
  const norm = (name: string) => {
    weights.set(`${name}.scale`, numbers(HIDDEN, 0.2, 1));
    weights.set(`${name}.bias`, numbers(HIDDEN, 0.2));
  };
  const linear = (name: string, from: number, to: number) => {
    weights.set(`${name}.weight`, numbers(from * to, 2 / Math.sqrt(from)));
    weights.set(`${name}.bias`, numbers(to, 0.1));
  };
  norm('norm');
  for (let layer = 0; layer < layers; layer++) {
    for (const name of ['query', 'key', 'value', 'output']) linear(`${layer}.${name}`, HIDDEN, HIDDEN);
    norm(`${layer}.attention`);
    linear(`${layer}.up`, HIDDEN, INNER);
    linear(`${layer}.down`, INNER, HIDDEN);
    norm(`${layer}.feed`);
  }
  return weights;
}

/** The graph, in the operators of an exported BERT. */
function encode(weights: Weights, vocabulary: number, layers: number): Uint8Array {
  const nodes: InstanceType<typeof onnx.NodeProto>[] = [];
  const constants: InstanceType<typeof onnx.TensorProto>[] = [];
  const add = (opType: string, input: string[], ints: Record<string, number | number[]> = {}): string => {
    const output = `${opType}_${nodes.length}`;
    const attribute = Object.entries(ints).map(([name, value]) =>
      onnx.AttributeProto.create(
        Array.isArray(value)
          ? { name, ints: value, type: onnx.AttributeProto.AttributeType.INTS }
          : { name, i: value, type: onnx.AttributeProto.AttributeType.INT },
      ),
    );
    nodes.push(onnx.NodeProto.create({ opType, input, output: [output], attribute }));
    return output;
  };
  const floats = (name: string, dims: number[], data: Float32Array): string => {
    const rawData = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    constants.push(onnx.TensorProto.create({ name, dims, dataType: FLOAT, rawData }));
    return name;
  };
  const scalar = (value: number): string => floats(`scalar ${value}`, [], Float32Array.of(value));
  const whole = (...values: number[]): string => {
    const name = `whole ${values} ${constants.length}`;
    const rawData = new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
    constants.push(onnx.TensorProto.create({ name, dims: [values.length], dataType: INT64, rawData }));
    return name;
  };
  const weight = (name: string, dims: number[]): string => floats(name, dims, get(weights, name));
  const one = scalar(1);
  const epsilon = scalar(EPSILON);
  const norm = (name: string, x: string): string => {
    const centred = add('Sub', [x, add('ReduceMean', [x], { axes: [-1] })]);
    const variance = add('ReduceMean', [add('Mul', [centred, centred])], { axes: [-1] });
    const scaled = add('Div', [centred, add('Sqrt', [add('Add', [variance, epsilon])])]);
    return add('Add', [
      add('Mul', [scaled, weight(`${name}.scale`, [HIDDEN])]),
      weight(`${name}.bias`, [HIDDEN]),
    ]);
  };
  const linear = (name: string, x: string, from: number, to: number): string =>
    add('Add', [add('MatMul', [x, weight(`${name}.weight`, [from, to])]), weight(`${name}.bias`, [to])]);
  const split = whole(0, 0, HEADS, HIDDEN / HEADS);
  const join = whole(0, 0, HIDDEN);
  const heads = (x: string, perm: number[]): string =>
    add('Transpose', [add('Reshape', [x, split])], { perm });

  const width = add('Slice', [add('Shape', ['input_ids']), whole(1), whole(2)]);
  const positions = add('Slice', [weight('positions', [POSITIONS, HIDDEN]), whole(0), width, whole(0)]);
  const words = add('Gather', [weight('words', [vocabulary, HIDDEN]), 'input_ids']);
  const types = add('Gather', [weight('types', [2, HIDDEN]), 'token_type_ids']);
  const mask = add('Unsqueeze', [add('Cast', ['attention_mask'], { to: FLOAT }), whole(1, 2)]);
  const bias = add('Mul', [add('Sub', [one, mask]), scalar(-1e9)]);
  const scale = scalar(Math.sqrt(HIDDEN / HEADS));
  let x = norm('norm', add('Add', [add('Add', [words, types]), positions]));
  for (let layer = 0; layer < layers; layer++) {
    const query = heads(linear(`${layer}.query`, x, HIDDEN, HIDDEN), [0, 2, 1, 3]);
    const key = heads(linear(`${layer}.key`, x, HIDDEN, HIDDEN), [0, 2, 3, 1]);
    const value = heads(linear(`${layer}.value`, x, HIDDEN, HIDDEN), [0, 2, 1, 3]);
    const scores = add('Add', [add('Div', [add('MatMul', [query, key]), scale]), bias]);
    const seen = add('MatMul', [add('Softmax', [scores], { axis: -1 }), value]);
    const together = add('Reshape', [add('Transpose', [seen], { perm: [0, 2, 1, 3] }), join]);
    x = norm(`${layer}.attention`, add('Add', [linear(`${layer}.output`, together, HIDDEN, HIDDEN), x]));
    const up = linear(`${layer}.up`, x, HIDDEN, INNER);
    const bell = add('Add', [add('Erf', [add('Div', [up, scalar(Math.SQRT2)])]), one]);
    const active = add('Mul', [add('Mul', [up, bell]), scalar(0.5)]);
    x = norm(`${layer}.feed`, add('Add', [linear(`${layer}.down`, active, INNER, HIDDEN), x]));
  }
  nodes.push(onnx.NodeProto.create({ opType: 'Identity', input: [x], output: ['last_hidden_state'] }));

  const described = (name: string, elemType: number, dims: (string | number)[]) => ({
    name,
    type: {
      tensorType: {
        elemType,
        shape: { dim: dims.map((dim) => (typeof dim === 'string' ? { dimParam: dim } : { dimValue: dim })) },
      },
    },
  });
  const unique = [...new Map(constants.map((constant) => [constant.name, constant])).values()];
  const model = {
    irVersion: 8,
    opsetImport: [{ domain: '', version: 14 }],
    graph: {
      name: 'tiny_bert',
      node: nodes,
      initializer: unique,
      input: ['input_ids', 'attention_mask', 'token_type_ids'].map((name) =>
        described(name, INT64, ['batch', 'tokens']),
      ),
      output: [described('last_hidden_state', FLOAT, ['batch', 'tokens', HIDDEN])],
    },
  };
  return onnx.ModelProto.encode(model).finish();
}

/** The same in plain loops and doubles, for one text without padding. */
function forward(weights: Weights, ids: readonly number[], layers: number): Float64Array[] {
  const row = (name: string, index: number): Float32Array =>
    get(weights, name).subarray(index * HIDDEN, (index + 1) * HIDDEN);
  const norm = (name: string, x: Float64Array): Float64Array => {
    const mean = x.reduce((sum, value) => sum + value, 0) / HIDDEN;
    const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / HIDDEN;
    const [scale, bias] = [get(weights, `${name}.scale`), get(weights, `${name}.bias`)];
    return x.map((value, i) => ((value - mean) / Math.sqrt(variance + EPSILON)) * at(scale, i) + at(bias, i));
  };
  const linear = (name: string, x: Float64Array): Float64Array => {
    const [matrix, bias] = [get(weights, `${name}.weight`), get(weights, `${name}.bias`)];
    const y = Float64Array.from(bias);
    for (const [i, value] of x.entries()) {
      for (let j = 0; j < y.length; j++) y[j] = at(y, j) + value * at(matrix, i * y.length + j);
    }
    return y;
  };
  let states = ids.map((id, position) =>
    norm(
      'norm',
      Float64Array.from(
        { length: HIDDEN },
        (_, i) => at(row('words', id), i) + at(row('types', 0), i) + at(row('positions', position), i),
      ),
    ),
  );
  for (let layer = 0; layer < layers; layer++) {
    const [query, key, value] = ['query', 'key', 'value'].map((name) =>
      states.map((x) => linear(`${layer}.${name}`, x)),
    );
    if (query === undefined || key === undefined || value === undefined) throw new Error('three of them');
    const size = HIDDEN / HEADS;
    states = states.map((x, position) => {
      const seen = new Float64Array(HIDDEN);
      for (let head = 0; head < HEADS; head++) {
        const part = (rows: Float64Array[], index: number) =>
          (rows[index] ?? seen).subarray(head * size, (head + 1) * size);
        const scores = key.map((_, other) => {
          const [q, k] = [part(query, position), part(key, other)];
          return Math.exp(q.reduce((sum, number, i) => sum + number * at(k, i), 0) / Math.sqrt(size));
        });
        const total = scores.reduce((sum, score) => sum + score, 0);
        for (const [other, score] of scores.entries()) {
          const v = part(value, other);
          for (let i = 0; i < size; i++)
            seen[head * size + i] = at(seen, head * size + i) + (score / total) * at(v, i);
        }
      }
      const attended = norm(`${layer}.attention`, plus(linear(`${layer}.output`, seen), x));
      const active = linear(`${layer}.up`, attended).map((u) => (u * (1 + erf(u / Math.SQRT2))) / 2);
      return norm(`${layer}.feed`, plus(linear(`${layer}.down`, active), attended));
    });
  }
  return states;
}

const plus = (a: Float64Array, b: Float64Array): Float64Array => a.map((value, i) => value + at(b, i));
const at = (numbers: Float32Array | Float64Array, index: number): number => numbers[index] ?? Number.NaN;

function get(weights: Weights, name: string): Float32Array {
  const found = weights.get(name);
  if (found === undefined) throw new Error(`no weight ${name}`);
  return found;
}

/** By its series; exact to about 1e-14 for the small arguments here, 1 beyond them. */
function erf(x: number): number {
  if (Math.abs(x) > 5) return Math.sign(x);
  let [term, sum] = [x, x];
  for (let n = 1; n < 120; n++) {
    term *= -(x * x) / n;
    sum += term / (2 * n + 1);
  }
  return (2 / Math.sqrt(Math.PI)) * sum;
}

function mulberry32(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
