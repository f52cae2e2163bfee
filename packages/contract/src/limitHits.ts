/** Limits that slow an account down or refuse something it asked for, in the order in which they are shown. */
export const limitNames = [
  /** messages a second (`ACCOUNT_MESSAGES_PER_SECOND`, or the account's own limit) */
  'messages',
  /** processor time of the account's scripts */
  'scriptTime',
  /** sandbox processes that its scripts took down */
  'scriptCrashes',
  /** processor time and memory of its parsers in Elixir */
  'elixir',
  /** open live connections of a user, an account or an address */
  'liveConnections',
  /** wrong passwords on the built-in MQTT broker */
  'mqttSignIns',
  /** mails of one rule or of all rules of the account */
  'ruleMails',
  /** mails to one recipient */
  'recipientMails',
  /** time or memory to read an uploaded file */
  'files',
] as const
export type LimitName = (typeof limitNames)[number]
