// The ONNX messages of the graph, and their encoding.
import onnxProto from 'onnx-proto';

const { onnx } = onnxProto;
export const { FLOAT, FLOAT16, INT8, UINT8, INT64 } = onnx.TensorProto.DataType;
const { FLOAT: FLOAT_ATTRIBUTE, INT, INTS } = onnx.AttributeProto.AttributeType;

const RUNTIME = 'com.microsoft';

/** A constant of the graph. `data` is a typed array with exactly the bytes of `dataType`. */
export function tensor(name, dataType, dims, data) {
  const size = dims.reduce((product, dim) => product * dim, 1);
  if (data.length !== size) throw new Error(`${name}: ${data.length} numbers for the shape ${dims}`);
  const rawData = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  return { name, dataType, dims, rawData };
}

/** @param {Record<string, number | number[] | { float: number }>} attributes whole numbers unless marked */
export function node(opType, name, input, output, attributes = {}) {
  const attribute = Object.entries(attributes).map(([key, value]) => {
    if (Array.isArray(value)) return { name: key, ints: value, type: INTS };
    if (typeof value === 'number') return { name: key, i: value, type: INT };
    return { name: key, f: value.float, type: FLOAT_ATTRIBUTE };
  });
  return { opType, ...(name === undefined ? {} : { name }), input, output, attribute };
}

/** An operator of ONNX Runtime, which is not part of the ONNX standard. */
export function runtimeNode(...description) {
  return { ...node(...description), domain: RUNTIME };
}

/** An input or output of the graph; a named dimension can have any size. */
export function value(name, elemType, dims) {
  const dim = dims.map((size) => (typeof size === 'string' ? { dimParam: size } : { dimValue: size }));
  return { name, type: { tensorType: { elemType, shape: { dim } } } };
}

/** @returns {Uint8Array} the bytes of the .onnx file */
export function encodeModel({ graph, producerName, irVersion, opset }) {
  const opsetImport = [{ domain: '', version: opset }];
  if (graph.node.some(({ domain }) => domain === RUNTIME)) opsetImport.push({ domain: RUNTIME, version: 1 });
  const model = { irVersion, producerName, graph, opsetImport };
  return withUnpackedNumbers(() => onnx.ModelProto.encode(model).finish());
}

/**
 * ONNX is a proto2 schema: repeated numbers are written one by one. onnx-proto writes them packed, which
 * every reader accepts too, but the bytes differ from those of ONNX's own tools.
 */
function withUnpackedNumbers(encode) {
  const { TensorProto, AttributeProto } = onnx;
  const packed = { tensor: TensorProto.encode, attribute: AttributeProto.encode };
  const int64s = (writer, field, numbers) => {
    for (const number of numbers) writer.uint32(field << 3).int64(number);
  };
  TensorProto.encode = ({ dims, ...rest }, writer) => {
    int64s(writer, 1, dims);
    return packed.tensor(rest, writer);
  };
  AttributeProto.encode = ({ name, ints = [], ...rest }, writer) => {
    packed.attribute({ name }, writer);
    int64s(writer, 8, ints);
    return packed.attribute(rest, writer);
  };
  try {
    return encode();
  } finally {
    TensorProto.encode = packed.tensor;
    AttributeProto.encode = packed.attribute;
  }
}
