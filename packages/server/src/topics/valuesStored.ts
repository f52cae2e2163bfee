import { Json } from '@leitstand/contract/common'
import * as z from 'zod'
import { defineTopic } from '../platform/events/topic.ts'

const Id = z.int()

/** The source of a value. Connected states inherit the source of the value they copy. */
const ValueSource = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('packet'),
    connectorId: Id,
    /** null: the value was written directly to a state, without a device */
    deviceId: Id.nullable(),
    /** when the platform received the packet, ms */
    receivedMs: z.number(),
    /** metadata of the packet as JSON text; only where a follower requests it */
    meta: z.string().optional(),
  }),
  /** set by a person or an application */
  z.object({ kind: z.literal('manual') }),
  z.object({ kind: z.literal('rule'), ruleId: Id }),
  z.object({ kind: z.literal('random') }),
  /** a figure of the platform itself */
  z.object({ kind: z.literal('system') }),
  /** computed from several states, or by a script that uses a computed value */
  z.object({ kind: z.literal('computed') }),
  /** written by a server that did not record the source */
  z.object({ kind: z.literal('unknown') }),
])

export type ValueSource = z.infer<typeof ValueSource>

const Value = z.tuple([
  Id.describe('state'),
  Id.describe('twin'),
  z.string().describe('key of the state'),
  z.number().describe('time in ms'),
  Json.describe('value'),
  z.boolean().describe('whether it was the newest of its state when it was stored'),
  z.int().nonnegative().describe('index in `sources`'),
])

/** The followed values that a transaction stored for one account, in the order in which they were applied. */
const ValuesStored = z.object({ sources: z.array(ValueSource), values: z.array(Value) })

export type ValuesStored = z.infer<typeof ValuesStored>

const Version1 = z.object({ values: z.array(z.tuple([Id, Id, z.number(), Json, z.boolean()])) })

/** Version 1 had neither keys nor sources, and mixed the accounts of a transaction. */
function fromVersion1(payload: unknown): ValuesStored {
  const { values } = Version1.parse(payload)
  return {
    sources: [{ kind: 'unknown' }],
    values: values.map(([stateId, twinId, timeMs, value, isCurrent]) => [
      stateId,
      twinId,
      '',
      timeMs,
      value,
      isCurrent,
      0,
    ]),
  }
}

/** Every followed value (`series.follow`) that a transaction stored; large transactions append several. */
export const valuesStored = defineTopic({
  name: 'values.stored',
  version: 2,
  schema: ValuesStored,
  upgrades: { 1: fromVersion1 },
})
