import type { ConnectorKind, ConnectorState, capabilities, Preset } from '@leitstand/contract/bridge'
import type * as z from 'zod'
import type { Context } from '../../../platform/context.ts'
import type { Publishers } from '../downlinks/publishers.ts'
import type { Journal } from '../journal.ts'
import type { Receiver, Receiving } from '../receive.ts'
import type { StoredSettings } from '../types.ts'
import type { BrokerHost } from './mqtt-broker/host.ts'

/** One thing that was tried, for "validate and save". */
export interface Check {
  /** settings, name, template, password, username, topics, connection, subscription, sample */
  readonly name: string
  readonly ok: boolean
  readonly message: string
}

/** What kinds work with. */
export interface KindTools {
  readonly ctx: Context
  readonly receiver: Receiver
  readonly journal: Journal
  readonly brokerHost: BrokerHost
  /** connections that downlinks are published on */
  readonly publishers: Publishers
}

/**
 * A connector at work. `reading` follows changes of preset and template without a restart; kinds look at it for every
 * message.
 */
export interface Active<S> extends Receiving {
  readonly name: string
  readonly settings: S
  /** Notes the state; equal ones are noted once. */
  setState(state: ConnectorState, message: string): void
}

/** Whose settings are tried, and how far. */
export interface Trying<S> {
  readonly connectorId: number | null
  readonly stored: S | null
  readonly connect: boolean
}

/** Stops the connector. `next`: its new settings; null: it is deleted or switched off; absent: the server stops. */
export type Stop<S> = (next?: { readonly settings: S | null }) => Promise<void>

/** One kind of connector: a folder beside this file. */
export interface Kind<S> {
  readonly kind: ConnectorKind
  readonly direction: 'in' | 'out'
  readonly capabilities: readonly (typeof capabilities)[number][]
  readonly presets: readonly Preset[]
  readonly schema: z.ZodType<S>
  /** settings that are never sent back; empty on a change keeps the stored one */
  readonly secrets: readonly string[]
  /** those of them that are needed again to sign in elsewhere, and are stored encrypted */
  readonly sealed: readonly string[]
  /** To whom a stored secret of these settings may be sent: settings with another answer need it anew. */
  audience(settings: S, secret: string): string
  /** whether its address carries a key, `/api/hooks/{key}` */
  readonly hasKey: boolean
  /** What is stored of checked settings: secrets hashed where possible, names made. */
  seal(settings: S, stored: S | null): Promise<S>
  /**
   * Really tries. `stored`: what is stored of this connector so far, `connectorId` null for a new one; `connect` false
   * leaves out whatever goes out into the network.
   */
  check(settings: S, tools: KindTools, of: Trying<S>): Promise<Check[]>
  /**
   * Begins to receive.
   * @throws when it cannot; it is tried again later
   */
  start(connector: Active<S>, tools: KindTools): Promise<Stop<S>>
  /** Addresses devices send to, without keys. */
  endpoints(tools: KindTools): string[]
}

/** A kind whose settings are not known by type: what the registry holds. Settings were parsed with its schema. */
export type AnyKind = Kind<StoredSettings>

/** Enters a kind into the registry. The only place that forgets the type of its settings; `schema` gives it back. */
export function anyKind<S>(kind: Kind<S>): AnyKind {
  const typed = (settings: StoredSettings): S => settings as S
  const typedOrNull = (settings: StoredSettings | null): S | null => settings as S | null
  return {
    ...kind,
    schema: kind.schema as unknown as z.ZodType<StoredSettings>,
    audience: (settings, secret) => kind.audience(typed(settings), secret),
    seal: async (settings, stored) =>
      (await kind.seal(typed(settings), typedOrNull(stored))) as StoredSettings,
    check: (settings, tools, { stored, ...trying }) =>
      kind.check(typed(settings), tools, { ...trying, stored: typedOrNull(stored) }),
    start: async (connector, tools) => {
      const stop = await kind.start(connector as unknown as Active<S>, tools)
      return (next) => stop(next && { settings: typedOrNull(next.settings) })
    },
  }
}
