import type { ZodType } from 'zod'

/** Converts the payload of one version into that of the next. */
type Upgrade = (payload: unknown) => unknown

/** A kind of event: its name, and the shape of its payload by version. */
export interface Topic<Name extends string = string, Payload extends object = object> {
  /** noun.verb in the past, e.g. `values.stored`; stored with every event, so it never changes */
  readonly name: Name
  /** version of new payloads */
  readonly version: number
  readonly schema: ZodType<Payload>
  /** `upgrades[n]` turns version n into version n + 1; there is one for every older version */
  readonly upgrades: Readonly<Record<number, Upgrade>>
  /** An event to append; `accountId` null: it concerns the whole platform. */
  event(accountId: number | null, payload: Payload): NewEvent
}

/** An event that is not appended yet. Only its topic creates it, so topic and payload match. */
export interface NewEvent {
  readonly topic: Topic
  readonly accountId: number | null
  readonly payload: object
}

/**
 * An event of one of these topics, as passed to consumers. The same `id` may arrive twice: consumers are
 * idempotent.
 */
export type EventOf<T extends Topic> =
  T extends Topic<infer Name, infer Payload>
    ? { id: number; topic: Name; accountId: number | null; payload: Payload; at: Date }
    : never

/** An event as stored, with its payload in the version in which it was written. */
export interface StoredEvent {
  id: number
  topic: string
  version: number
  accountId: number | null
  payload: unknown
  at: Date
}

/** The payload cannot be read; a retry would not help. */
export class UnreadableEvent extends Error {}

/**
 * Defines a topic.
 * @throws Error when an older version has no upgrade
 */
export function defineTopic<Name extends string, Payload extends object>(definition: {
  name: Name
  version: number
  schema: ZodType<Payload>
  upgrades?: Readonly<Record<number, Upgrade>>
}): Topic<Name, Payload> {
  const { name, version, schema, upgrades = {} } = definition
  for (let older = 1; older < version; older++)
    if (upgrades[older] === undefined) throw new Error(`${name}: version ${older} has no upgrade`)
  const topic: Topic<Name, Payload> = {
    name,
    version,
    schema,
    upgrades,
    event: (accountId, payload) => ({ topic: topic as unknown as Topic, accountId, payload }),
  }
  return topic
}

/**
 * Upgrades the payload of a stored event and parses it.
 * @throws UnreadableEvent when it does not fit the schema, or was written by a newer server
 */
export function readEvent<T extends Topic>(topic: T, stored: StoredEvent): EventOf<T> {
  const { id, version, accountId, at } = stored
  const payload = parsePayload(topic, version, stored.payload)
  return { id, topic: topic.name, accountId, payload, at } as EventOf<T>
}

function parsePayload(topic: Topic, version: number, stored: unknown): object {
  if (version > topic.version)
    throw new UnreadableEvent(`${topic.name}: version ${version} is newer than ${topic.version}`)
  let payload = stored
  try {
    for (let from = version; from < topic.version; from++) payload = topic.upgrades[from]?.(payload)
  } catch (error) {
    throw new UnreadableEvent(`${topic.name}: version ${version} cannot be upgraded`, { cause: error })
  }
  const parsed = topic.schema.safeParse(payload)
  if (!parsed.success)
    throw new UnreadableEvent(`${topic.name}: ${parsed.error.issues.map(issueText).join('; ')}`)
  return parsed.data
}

/**
 * Checks that a payload fits its schema as its readers will get it: written as JSON, which knows no infinite number.
 * @throws Error naming the topic and the violations
 */
export function checkPayload({ topic, payload }: NewEvent): void {
  const parsed = topic.schema.safeParse(JSON.parse(JSON.stringify(payload)))
  if (!parsed.success) throw new Error(`${topic.name}: ${parsed.error.issues.map(issueText).join('; ')}`)
}

function issueText({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `${path.join('.')}: ${message}`
}
