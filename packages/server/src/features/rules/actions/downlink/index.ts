import type { JsonValue } from '@leitstand/contract/common'
import type { DownlinkAction } from '@leitstand/contract/rules/actions/downlink'
import { checkOperand } from '../../conditions/check.ts'
import { operandValue } from '../../conditions/comparison.ts'
import type { RecordedAction } from '../../store/pipeline.ts'
import { type Computing, computeEffects } from '../computed.ts'
import { type Sent, sending } from '../sending.ts'
import type { ActionKind } from '../types.ts'
import { bytesOf } from './bytes.ts'
import { checkDevices, RuleDownlinks } from './send.ts'

/** What is sent. `script`: still to be computed; a text: why there is no payload. */
export type EffectContent =
  | { name: string; values: Record<string, JsonValue> }
  | { script: string; port: number; confirmed: boolean }
  | { payload: string; port: number; confirmed: boolean }
  | { fault: string }

export interface DownlinkEffect {
  kind: 'downlink'
  /** null: the device the rule is on */
  deviceId: number | null
  content: EffectContent
  validMinutes: number
}

const computing: Computing<'downlink'> = {
  kind: 'downlink',
  scriptOf: ({ content }) => ('script' in content ? content.script : null),
  complete(effect, computed) {
    const { content } = effect
    if (!('script' in content)) return effect
    if (!computed.ok) return { ...effect, content: { fault: computed.message } }
    const payload = bytesOf(computed.value)
    const { port, confirmed } = content
    return { ...effect, content: payload === null ? { fault: 'noPayload' } : { payload, port, confirmed } }
  },
}

export const downlink: ActionKind<DownlinkAction, DownlinkAction, DownlinkEffect> = {
  isLasting: false,
  setsState: false,
  check: ({ content }, { aliases }) =>
    content.from === 'script'
      ? []
      : Object.entries(content.values).flatMap(([key, value]) =>
          checkOperand(value, aliases, ['content', 'values', key]),
        ),
  checkStates: () => [],
  uses: ({ deviceId }) => (deviceId === null ? [] : [{ kind: 'twin', id: deviceId, note: 'commands' }]),
  texts: () => [],
  scripts: ({ content }) => (content.from === 'script' ? [content.script] : []),
  withStates: (action) => action,
  withOwnStates: (action) => action,
  stateKeys: () => [],
  run({ kind, deviceId, content, validMinutes }, { inputs }) {
    if (content.from === 'script') {
      const { script, port, confirmed } = content
      return { kind, deviceId, content: { script, port, confirmed }, validMinutes }
    }
    const values = Object.entries(content.values).map(([key, value]) => [key, operandValue(value, inputs)])
    return {
      kind,
      deviceId,
      content: { name: content.name, values: Object.fromEntries(values) },
      validMinutes,
    }
  },
  record: ({ kind, content }) => ({ kind, ok: false, detail: 'name' in content ? content.name : '' }),
  create(tools) {
    const downlinks = new RuleDownlinks(tools)
    return {
      saved: (tx, by, actions) => checkDevices(tools, tx, by, actions),
      prepare: (runs, scripts) => computeEffects(scripts, runs, computing),
      send: sending('downlink', (tx, sent) => downlinks.send(tx, sent)),
      committed: () => tools.downlinks.wake(),
      test: {
        kind: 'downlink',
        send: async (tx, sent) => (await downlinks.send(tx, [sent as Sent<'downlink'>]))[0] as RecordedAction,
      },
    }
  },
}
