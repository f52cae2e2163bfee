export { requireScript } from './check.ts'
export { decodeLimits, type Flattened, flattenOutput, type Measurement, readTime } from './decode.ts'
export {
  type Decoded,
  type DriverPacket,
  driverSource,
  type RunnableDriver,
  runDriver,
  scriptProblem,
  toDecoded,
  toScriptInput,
} from './run.ts'
