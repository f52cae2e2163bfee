import type { Language } from '../text.ts'

/** What the list of templates is grouped by. */
export type MailArea = 'access' | 'account' | 'alarms' | 'tickets' | 'exports' | 'feedback'

/**
 * `text`: one line; `lines`: text with line breaks; `tables`: tables, on a line of its own; `link`: an address that the
 * platform makes; `flag`: is not shown itself, but sections ask for it.
 */
export type VariableType = 'text' | 'lines' | 'tables' | 'link' | 'flag'

/** A table in a mail; all its texts are single lines. */
export interface MailTable {
  title: string
  /** empty titles: without a head */
  columns: readonly { title: string; right?: true }[]
  rows: readonly (readonly string[])[]
  /** below the rows */
  note: string | null
}

export interface Variable {
  type: VariableType
  /** what it is, for those who write templates */
  label: Readonly<Record<Language, string>>
  /** shown in previews; of a flag: whether its section is shown */
  example: Readonly<Record<Language, string>>
  /** the example of `tables` */
  exampleTables?: Readonly<Record<Language, readonly MailTable[]>>
  /** the mail is of no use without it: every template shows it, whatever else it says */
  isRequired?: true
}

/** The words of a mail: a template as described in `parse.ts` and `blocks.ts`. */
export interface TemplateText {
  subject: string
  body: string
}

/** A kind of mail: what it is for, what its template may show, and the text the platform comes with. */
export interface MailKind<Name extends string = string> {
  /** part of URLs and of stored templates: never changed */
  id: string
  area: MailArea
  title: Readonly<Record<Language, string>>
  /** who gets it */
  readers: Readonly<Record<Language, string>>
  /** besides `product`, which every template may show */
  variables: Readonly<Record<Name, Variable>>
  /**
   * `spoken`: the language of the reader is known. `one`: it is not, and a single text serves all; it is kept as
   * the German one
   */
  languages: 'spoken' | 'one'
  /**
   * Goes to people who have not agreed to get mails. Only the topmost account words it: others could use it to write
   * to strangers in the name of the installation.
   */
  toStrangers?: true
  texts: Readonly<Record<Language, TemplateText>>
}

export type Value = string | boolean | readonly MailTable[]

/** What a sender gives for the variables of a kind; flags are booleans. */
export type Values<Name extends string> = Readonly<Record<Name, Value>>

/** Defines a kind of mail; the feature that sends it registers it with `Mailer.register`. */
export function mailKind<const Name extends string>(kind: MailKind<Name>): MailKind<Name> {
  return kind
}

/** The languages that a kind has texts in. */
export function languagesOf({ languages }: Pick<MailKind, 'languages'>): readonly Language[] {
  return languages === 'one' ? ['de'] : ['de', 'en']
}

const product: Variable = {
  type: 'text',
  label: { de: 'Name der Plattform', en: 'Name of the platform' },
  example: { de: 'Leitstand', en: 'Leitstand' },
}

/** All variables of a kind by name. */
export function variablesOf(kind: MailKind): ReadonlyMap<string, Variable> {
  return new Map<string, Variable>([['product', product], ...Object.entries(kind.variables)])
}
