import type { CheckReason, ConnectorState, Preset } from '@leitstand/contract/bridge'
import type * as z from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { Delivery, OutgoingDownlink, Way } from '../downlinks/types.ts'
import type { Journal } from '../journal.ts'
import type { Attempt } from '../outgoing/types.ts'
import type { Reading } from '../presets/index.ts'
import type { Receiver, Receiving } from '../receive.ts'
import type { RemoteAccess } from '../remote/access.ts'
import type { StoredSettings } from '../types.ts'

/** The result of one check of "validate and save". */
export interface Check {
  /** settings, name, template, password, username, topics, connection, subscription, sample */
  readonly name: string
  readonly ok: boolean
  readonly message: string
  /** why it failed, for texts in the user's language; absent for words of others, e.g. of a network server */
  readonly reason?: CheckReason
}

/**
 * A running connector. `reading` reflects changes of preset and template without a restart, so read it for
 * every message.
 */
export interface Active<S> extends Receiving {
  readonly name: string
  readonly settings: S
  /** Records the state; repeats of the same state are recorded once. */
  setState(state: ConnectorState, message: string): void
}

/** Whose settings are checked, and how far. */
export interface Trying<S> {
  readonly connectorId: number | null
  readonly stored: S | null
  /** false skips every check that uses the network */
  readonly connect: boolean
}

/**
 * Stops the connector. `next`: its new settings; null: it was deleted or disabled; absent: the server is
 * stopping.
 */
export type Stop<S> = (next?: { readonly settings: S | null }) => Promise<void>

/** A setting that is never returned by the API; an empty value in an update keeps the stored one. */
export interface Secret<S> {
  /** needed in clear text to sign in elsewhere, so it is stored encrypted */
  readonly isSealed: boolean
  /** Where the secret may be sent. If a change gives a different result, the secret must be entered again. */
  audience(settings: S): string
}

/** How downlinks reach devices. The settings contain `downlinks`, the network server to use. */
export interface Command<S> {
  /** determines names and addresses at the network server */
  readonly over: 'mqtt' | 'http'
  /**
   * Makes one attempt. Never rejects because of the network server; resolves with `unknown` when the signal
   * aborts.
   */
  send(
    connector: { readonly id: number; readonly settings: S },
    way: Way,
    downlink: OutgoingDownlink,
    signal: AbortSignal,
  ): Promise<Delivery>
}

/** A message to another system. */
export interface OutgoingMessage {
  /** the same for every attempt: the receiver recognises a repeated message by it */
  readonly id: string
  readonly contentType: string
  readonly body: string
  /** somebody tries the rule */
  readonly isTest: boolean
}

/** Hands messages to another system. */
export interface Deliver<S> {
  /** Makes one attempt; never rejects because of the other system. */
  send(
    connector: { readonly id: number; readonly settings: S },
    message: OutgoingMessage,
    signal: AbortSignal,
  ): Promise<Attempt>
}

/** Publishes single messages on the connection of a connector. */
export interface Publish<S> {
  /** Why nothing may be published there: a topic that the connector does not allow; null: it may. */
  fault(settings: S, topic: string): 'topicForbidden' | null
  /** Makes one attempt; never rejects because of the broker. */
  send(
    connector: { readonly id: number; readonly settings: S },
    message: { readonly topic: string; readonly payload: Buffer },
  ): Promise<Attempt>
}

/** The services available to kinds. */
export interface KindTools {
  readonly ctx: Context
  readonly receiver: Receiver
  readonly journal: Journal
  /** The connector with this key, for kinds with `hasKey`; constant time, in memory. */
  findByKey(key: string): (Receiving & { readonly reading: Reading; readonly enabled: boolean }) | undefined
}

/** A kind running in this process, with the resources its connectors share: a port, a route, connections. */
export interface Running<S> {
  /**
   * Starts receiving messages.
   * @throws when it cannot; the start is retried later
   */
  receive?(connector: Active<S>): Promise<Stop<S>>
  readonly command?: Command<S>
  /** messages of rules to another system */
  readonly deliver?: Deliver<S>
  /** commands of rules, as messages on a topic */
  readonly publish?: Publish<S>
  /** Addresses that devices send to, without keys; none where we open the connection. */
  endpoints?(): string[]
  [Symbol.asyncDispose]?(): Promise<void>
}

/**
 * One kind of connector: a folder next to this file. Its capabilities follow from the parts it implements,
 * see `capabilitiesOf`.
 */
export interface Kind<S> {
  readonly schema: z.ZodType<S>
  readonly presets: readonly Preset[]
  readonly secrets: Readonly<Record<string, Secret<S>>>
  /** whether its address carries a key, `/api/hooks/{key}` */
  readonly hasKey?: boolean
  /** it opens the connection itself: with several nodes one of them does */
  readonly dialsOut?: boolean
  /**
   * settings that apply to the next message without reconnecting, in addition to those common to all kinds
   */
  readonly appliedAtOnce?: readonly string[]
  /** unique indexes that its settings may violate, with the check that fails */
  readonly unique?: Readonly<Record<string, Omit<Check, 'ok'>>>
  /** An example topic of this connector, used to test samples. */
  sampleTopic?(settings: S): string | undefined
  /**
   * Turns checked settings into those to store: hashes secrets where possible, generates names. Absent:
   * stores them unchanged.
   */
  seal?(settings: S, stored: S | null): Promise<S>
  /**
   * Checks the settings for real. `stored`: the stored settings of this connector; `connectorId` is null for
   * a new one.
   */
  check(settings: S, ctx: Context, of: Trying<S>): Promise<Check[]>
  /** access to the devices of the network server behind it */
  readonly manage?: RemoteAccess<S>
  /** Opens the kind, once per process. */
  open(tools: KindTools): Running<S>
}

/** A kind whose settings type is not known; the settings were parsed with its schema. */
export type AnyKind = Kind<StoredSettings>
export type AnyRunning = Running<StoredSettings>
