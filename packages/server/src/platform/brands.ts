import type { Executor } from './db/index.ts'
import type { Language } from './mail/text.ts'

/** What the platform is called where an account has no brand. */
export const ownName = 'Leitstand'
/** How the platform presents itself to other systems, which may see it under the domain of an account. */
export const neutralName = 'IoT-Platform'

/** Under which name and address the platform presents itself to the users of an account. */
export interface Presence {
  /** the account whose brand it is; null: name and address of the installation */
  accountId: number | null
  name: Readonly<Record<Language, string>>
  /** scheme, host, port and path, without a slash at the end */
  publicUrl: string
  /** address of its logo; null: it has none */
  logo: string | null
  /** highlight colours by mode, `#rrggbb` or `#rgb`; null: those of the platform */
  highlight: Readonly<Record<'light' | 'dark', string | null>>
}

/** The brand of an account; null: it has none. */
export type FindPresence = (db: Executor, accountId: number) => Promise<Presence | null>

/**
 * What features ask for the name and address of the platform before they write to users. The feature that
 * stores brands answers; until it is registered, the installation's own apply.
 */
export class Brands {
  readonly #own: Presence
  #find: FindPresence = async () => null

  constructor(publicUrl: string) {
    this.#own = {
      accountId: null,
      name: { de: ownName, en: ownName },
      publicUrl,
      logo: null,
      highlight: { light: null, dark: null },
    }
  }

  /** Sets how brands are found. */
  findWith(find: FindPresence): void {
    this.#find = find
  }

  /** @param accountId null: the installation */
  async of(db: Executor, accountId: number | null): Promise<Presence> {
    return (accountId === null ? null : await this.#find(db, accountId)) ?? this.#own
  }
}
