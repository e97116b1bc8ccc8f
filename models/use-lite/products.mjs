// Products of integers in place of products of floats: the projections of a graph, which take nearly all of its time.
//
// The scale of the activations is a constant of the graph, so a vector does not depend on the batch it was computed
// in. The integers are exact on every processor: x86 without VNNI adds products of two neighbouring rows in 16 bits,
// which would saturate, so the weights of two neighbours are kept small enough (MOST_OF_PAIR).
import { FLOAT, INT8, node, runtimeNode, tensor, UINT8 } from './onnx.mjs';
import { asHalf, floats, LARGEST_INT8, roundHalfEven, toInt8 } from './quantise.mjs';

const LARGEST_UINT8 = 255;
const LARGEST_INT16 = 32_767;
/** The most that two weights of equal sign in rows 2i and 2i + 1 of a column may add up to: 128. */
export const MOST_OF_PAIR = Math.floor(LARGEST_INT16 / LARGEST_UINT8);

/**
 * Replaces the projections that `ranges` names: the input becomes uint8 with one constant scale, the weights int8 with
 * one scale per column. The matrices of the others are stored as float16, and the table of embeddings as int8, of which
 * the graph restores only the rows that it needs.
 *
 * @param {Record<string, { low: number, high: number, means: number[] }>} ranges of the input of a projection, and the
 *   mean of each of its columns, by the projection's name
 */
export function quantiseProducts(graph, ranges) {
  const constants = new Map(graph.initializer.map((constant) => [constant.name, constant]));
  const producers = new Map(graph.node.map((made) => [made.output[0], made]));
  const replaced = new Map();
  const dropped = new Set();
  for (const product of graph.node) {
    const matrix = product.opType === 'MatMul' ? constants.get(product.input[1]) : undefined;
    if (matrix === undefined) continue;
    const name = matrix.name.replace(/_w$/, '');
    constants.delete(matrix.name);
    if (ranges[name] === undefined) {
      const half = asHalf(matrix);
      constants.set(half.constant.name, half.constant);
      replaced.set(product, [half.node, product]);
      continue;
    }
    const sum = graph.node.find(({ opType, input }) => opType === 'Add' && input[0] === product.output[0]);
    // uint8 has nothing below a zero point of 0: the rounding does the work of Relu.
    const before = producers.get(product.input[0]);
    const input = before?.opType === 'Relu' && ranges[name].low === 0 ? before : undefined;
    if (input !== undefined) dropped.add(input);
    const made = integerProduct(name, matrix, ranges[name], {
      input: input?.input[0] ?? product.input[0],
      bias: constants.get(sum.input[1]),
      output: sum.output[0],
    });
    for (const constant of made.constants) constants.set(constant.name, constant);
    replaced.set(product, made.nodes);
    dropped.add(sum);
  }
  const table = embeddingRows(graph, constants);
  replaced.set(table.gather, table.nodes);
  return {
    initializer: [...constants.values()],
    node: graph.node.filter((one) => !dropped.has(one)).flatMap((one) => replaced.get(one) ?? [one]),
  };
}

function integerProduct(name, matrix, { low, high, means }, { input, bias, output }) {
  const scale = Math.fround((high - low) / LARGEST_UINT8);
  const zero = roundHalfEven(-low / scale);
  const { integers, scales } = pairedInt8(floats(matrix), matrix.dims);
  const [x, w] = [`${name}_x`, `${name}_w`];
  const weights = floats(matrix);
  const columns = scales.length;
  // What rounding the weights adds to the mean of each output is taken off the bias.
  const corrected = floats(bias).map((number, column) => {
    const added = means.map((mean, row) => {
      const at = row * columns + column;
      return mean * (integers[at] * scales[column] - weights[at]);
    });
    return number - added.reduce((sum, one) => sum + one);
  });
  return {
    constants: [
      tensor(`${x}_s`, FLOAT, [], Float32Array.of(scale)),
      tensor(`${x}_z`, UINT8, [], Uint8Array.of(zero)),
      tensor(`${w}_q`, INT8, matrix.dims, integers),
      tensor(`${w}_s`, FLOAT, [columns], scales),
      tensor(bias.name, FLOAT, [columns], corrected),
    ],
    nodes: [
      node('QuantizeLinear', x, [input, `${x}_s`, `${x}_z`], [`${x}_q`]),
      runtimeNode(
        'MatMulIntegerToFloat',
        name,
        [`${x}_q`, `${w}_q`, `${x}_s`, `${w}_s`, `${x}_z`, '', bias.name],
        [output],
      ),
    ],
  };
}

/** Like `toInt8`, with scales per column that also keep every pair of rows within MOST_OF_PAIR. */
export function pairedInt8(numbers, [rows, columns]) {
  if (rows % 2 !== 0) throw new Error(`${rows} rows do not make pairs`);
  const scales = new Float32Array(columns);
  const integers = new Int8Array(rows * columns);
  for (let column = 0; column < columns; column++) {
    let scale = 0;
    for (let row = 0; row < rows; row += 2) {
      const pair = [numbers[row * columns + column], numbers[(row + 1) * columns + column]];
      scale = Math.max(scale, ...pair.map((weight) => Math.abs(weight) / LARGEST_INT8));
      scale = Math.max(scale, sumOfEqualSign(pair) / MOST_OF_PAIR);
    }
    scales[column] = scale === 0 ? 1 : scale;
    for (let row = 0; row < rows; row += 2) {
      const at = [row * columns + column, (row + 1) * columns + column];
      const pair = at.map((index) => roundHalfEven(numbers[index] / scales[column]));
      // Two weights that were both rounded up.
      if (sumOfEqualSign(pair) > MOST_OF_PAIR) {
        const larger = Math.abs(pair[0]) >= Math.abs(pair[1]) ? 0 : 1;
        pair[larger] -= Math.sign(pair[larger]);
      }
      for (const [which, index] of at.entries()) integers[index] = pair[which];
    }
  }
  return { scales, integers };
}

function sumOfEqualSign([one, other]) {
  return one * other > 0 ? Math.abs(one + other) : Math.max(Math.abs(one), Math.abs(other));
}

/** The lookup of tokens in the table, which stays int8 with a scale per row. */
function embeddingRows(graph, constants) {
  const gather = graph.node.find(({ opType, input }) => opType === 'Gather' && constants.has(input[0]));
  const [name, ids] = gather.input;
  const table = constants.get(name);
  const { scales, integers, scaleDims } = toInt8(floats(table), table.dims, true);
  constants.delete(name);
  constants.set(`${name}_q`, tensor(`${name}_q`, INT8, table.dims, integers));
  constants.set(`${name}_s`, tensor(`${name}_s`, FLOAT, scaleDims, scales));
  const nodes = [
    node('Gather', undefined, [`${name}_q`, ids], [`${name}_rows`], { axis: 0 }),
    node('Gather', undefined, [`${name}_s`, ids], [`${name}_scales`], { axis: 0 }),
    node('Cast', undefined, [`${name}_rows`], [`${name}_f`], { to: FLOAT }),
    node('Mul', undefined, [`${name}_f`, `${name}_scales`], gather.output),
  ];
  return { gather, nodes };
}
