import type { MailLanguage } from '@leitstand/contract/mailTemplates'
import { LRUCache } from 'lru-cache'
import { upTo } from '../../platform/cache.ts'
import type { Context } from '../../platform/context.ts'
import type { Caller } from '../../platform/http/caller.ts'
import type { MailKind, Values } from '../../platform/mail/templates/kind.ts'

const keptMax = 200
/** A preview is made at every pause of typing; what is in it is not looked up each time. */
const keptMs = 60_000

/** What previews show: the newest thing of an account, as the caller may see it. */
export class Samples {
  readonly #ctx: Pick<Context, 'db' | 'mail'>
  readonly #found = new LRUCache<string, { values: Values<string> | null }>({ ...upTo(keptMax), ttl: keptMs })

  constructor(ctx: Pick<Context, 'db' | 'mail'>) {
    this.#ctx = ctx
  }

  async of(
    caller: Caller,
    kind: MailKind,
    { accountId, language }: { accountId: number; language: MailLanguage },
  ): Promise<Values<string> | null> {
    const { db, mail } = this.#ctx
    const whose = caller.keyHash ?? caller.application?.id ?? caller.userId
    const key = JSON.stringify([whose, caller.userId, kind.id, accountId, language])
    const kept = this.#found.get(key)
    if (kept) return kept.values
    const values = await mail.sampleOf(db, kind, { caller, accountId, language })
    this.#found.set(key, { values })
    return values
  }
}
