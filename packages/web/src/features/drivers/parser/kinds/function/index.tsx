import type { ParserOf } from '@leitstand/contract/parsers'
import { ScriptEditor } from '../../ScriptEditor.tsx'
import type { ConsoleParser, EditorProps } from '../types.ts'

/** Initial text of a custom driver. */
const scriptStart = `// bytes: list of numbers, fPort: port of the uplink, recvTime: when it arrived.
// Buffer and lodash (_) are there; what you print with console.log shows in the tester.
function decodeUplink({ bytes, fPort, recvTime }) {
  const buffer = Buffer.from(bytes)
  return {
    data: {
      temperature: buffer.readInt16BE(0) / 10,
      humidity: buffer.readUInt8(2) / 2,
    },
  }
}
`

/** Names offered while typing. */
const completions = [
  { label: 'bytes', detail: 'number[]' },
  { label: 'fPort', detail: 'number' },
  { label: 'recvTime', detail: 'Date' },
  { label: 'payload', detail: 'hex, JSON' },
  { label: 'meta', detail: 'object' },
  { label: 'meta.lora.fport' },
  { label: 'meta.time' },
  { label: 'Buffer' },
  { label: 'Buffer.from(bytes)' },
  { label: 'readInt16BE' },
  { label: 'readInt16LE' },
  { label: 'readUInt16BE' },
  { label: 'readUInt16LE' },
  { label: 'readUInt8' },
  { label: '_', detail: 'lodash' },
  { label: 'decodeUplink' },
  { label: 'module.exports' },
  { label: 'console.log' },
]
/** How each signature is written, by the engine's name for it. */
const signatures: Record<string, string> = {
  decodeUplink: 'decodeUplink({ bytes, fPort })',
  Decoder: 'Decoder(bytes, port)',
  Decode: 'Decode(fPort, bytes)',
  function: 'module.exports = function (payload, meta)',
}

/** A function in JavaScript. */
export const functionParser: ConsoleParser<object, ParserOf<'function'>> = {
  empty: () => ({}),
  toValues: () => ({}),
  toParser: () => ({ kind: 'function' }),
  Editor: FunctionEditor,
  scriptStart,
}

function FunctionEditor(props: EditorProps) {
  return (
    <ScriptEditor
      {...props}
      language="javascript"
      completions={completions}
      signatureOf={(family) => (family === null ? '' : (signatures[family] ?? family))}
    />
  )
}
