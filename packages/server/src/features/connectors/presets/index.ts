import type { Preset } from '@leitstand/contract/bridge'
import type { ScriptEngine } from '../../../platform/scripts/types.ts'
import { storableJson, storableText } from '../../../platform/storable.ts'
import { chirpstackV4 } from './chirpstack.ts'
import { isTooDeep, isTooRichJson, messageDepthMax, parseJson } from './read.ts'
import { standard } from './standard.ts'
import { runTemplate, type TemplateSource } from './template.ts'
import { ttsV3 } from './tts.ts'
import type { ForeignMessage, Translation } from './types.ts'

export type {
  DownlinkReport,
  ForeignMessage,
  KeyedPacket,
  NetworkEvent,
  RefusedPart,
  Translation,
} from './types.ts'

/** Built-in parsers for messages of external systems; pure. */
const builtIn: Readonly<Record<Exclude<Preset, 'template'>, (message: ForeignMessage) => Translation>> = {
  standard,
  'tts-v3': ttsV3,
  'chirpstack-v4': chirpstackV4,
}

/** How a connector parses its messages. */
export interface Reading extends TemplateSource {
  readonly preset: Preset
}

/**
 * Message of an external system → standard packets.
 * @throws AppError OVERLOADED when the template sandbox cannot accept the call now
 */
export function translate(
  scripts: Pick<ScriptEngine, 'run'>,
  reading: Reading,
  message: ForeignMessage,
): Promise<Translation> | Translation {
  const unreadable = unreadableBecause(message)
  if (unreadable !== null) return refusedInShort(message, unreadable)
  if (reading.preset === 'template') return runTemplate(scripts, reading, message)
  return builtIn[reading.preset](message)
}

/** Why no preset can read the message; null: they may try. */
function unreadableBecause({ text, json, isTooRich }: ForeignMessage): string | null {
  if (isTooRich) return 'The message has too many values'
  if (isTooDeep(text, json)) return `The message is nested deeper than ${messageDepthMax} levels`
  return null
}

/** Each of them is stored, and the beginning is enough of one that will never be read. */
const unreadableCharsMax = 10_000

function refusedInShort({ text }: ForeignMessage, message: string): Translation {
  const isCut = text.length > unreadableCharsMax
  const raw = isCut ? text.slice(0, unreadableCharsMax) : text
  return { packets: [], refused: [{ raw, isCut, identifier: null, code: 'PACKET_INVALID', message }] }
}

/** Text of a body → message, parsed if it is JSON; characters that the database cannot store are replaced. */
export function foreignMessage(
  text: string,
  from: { topic?: string; query?: Readonly<Record<string, string>> } = {},
): ForeignMessage {
  const isTooRich = isTooRichJson(text)
  const json = isTooRich ? undefined : parseJson(storableJson(text))
  return {
    text,
    query: storableTexts(from.query ?? {}),
    ...(json === undefined ? {} : { json }),
    ...(isTooRich ? { isTooRich } : {}),
    ...(from.topic === undefined ? {} : { topic: storableText(from.topic) }),
  }
}

function storableTexts(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [storableText(name), storableText(text)]),
  )
}
