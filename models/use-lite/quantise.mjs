// Smaller weights that become float32 again when a session loads the model: ONNX Runtime folds the added
// Cast and Mul away. Only storage is quantised, so a vector never depends on the batch it was computed in.
import { FLOAT, FLOAT16, INT8, node, tensor } from './onnx.mjs';

/** Tensors below this many numbers are not worth their Cast node. */
const WORTHWHILE = 1024;
export const LARGEST_INT8 = 127;

/**
 * Stores the large float32 tensors of a graph as int8 with one float32 scale per column (per row where
 * `perRow` names the tensor), and the large vectors as float16.
 *
 * @returns {{ initializer: object[], node: object[] }} to replace the graph's own
 */
export function quantiseStorage(graph, { perRow }) {
  const initializer = [];
  const restored = [];
  for (const constant of graph.initializer) {
    const { name, dims } = constant;
    const size = dims.reduce((product, dim) => product * dim, 1);
    if (constant.dataType !== FLOAT || size < WORTHWHILE) {
      initializer.push(constant);
    } else if (dims.length < 2) {
      const half = asHalf(constant);
      initializer.push(half.constant);
      restored.push(half.node);
    } else {
      const { scales, integers, scaleDims } = toInt8(floats(constant), dims, perRow.includes(name));
      initializer.push(
        tensor(`${name}_q`, INT8, dims, integers),
        tensor(`${name}_s`, FLOAT, scaleDims, scales),
      );
      restored.push(node('Cast', undefined, [`${name}_q`], [`${name}_f`], { to: FLOAT }));
      restored.push(node('Mul', undefined, [`${name}_f`, `${name}_s`], [name]));
    }
  }
  return { initializer, node: [...restored, ...graph.node] };
}

/** A constant as float16, and the node that restores it under its own name. */
export function asHalf(constant) {
  const { name, dims } = constant;
  return {
    constant: tensor(`${name}_h`, FLOAT16, dims, Uint16Array.from(floats(constant), toHalf)),
    node: node('Cast', undefined, [`${name}_h`], [name], { to: FLOAT }),
  };
}

/** The numbers of a float32 constant. */
export function floats({ rawData }) {
  return new Float32Array(
    rawData.buffer,
    rawData.byteOffset,
    rawData.byteLength / Float32Array.BYTES_PER_ELEMENT,
  );
}

/** Rounded in float32 throughout, ties to even, as IEEE 754 arithmetic in float32 gives it. */
export function toInt8(numbers, [rows, columns], perRow) {
  const scales = new Float32Array(perRow ? rows : columns);
  const scaleOf = (index) => (perRow ? Math.floor(index / columns) : index % columns);
  for (const [index, number] of numbers.entries()) {
    scales[scaleOf(index)] = Math.max(scales[scaleOf(index)], Math.abs(number));
  }
  for (const [index, largest] of scales.entries()) scales[index] = largest === 0 ? 1 : largest / LARGEST_INT8;
  const integers = Int8Array.from(numbers, (number, index) =>
    roundHalfEven(Math.fround(number / scales[scaleOf(index)])),
  );
  return { scales, integers, scaleDims: perRow ? [rows, 1] : [1, columns] };
}

export function roundHalfEven(number) {
  const below = Math.floor(number);
  const rest = number - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/** The bits of the nearest IEEE 754 half-precision number, ties to even. */
function toHalf(number) {
  const sign = number < 0 || Object.is(number, -0) ? 0x8000 : 0;
  const size = Math.abs(number);
  if (size >= 65520) throw new Error(`${number} does not fit into float16`);
  const exponent = Math.max(Math.floor(Math.log2(size || Number.MIN_VALUE)), -14);
  const steps = roundHalfEven(size / 2 ** (exponent - 10));
  // A mantissa that rounds up to 2048 steps carries into the exponent by itself.
  return sign | (steps + ((exponent + 14) << 10));
}
