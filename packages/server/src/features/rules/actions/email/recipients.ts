import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { RecipientQuestion, RuleRecipient } from '@leitstand/contract/ruleMails'
import type { RuleAction } from '@leitstand/contract/rules'
import type { Context } from '../../../../platform/context.ts'
import type { Executor } from '../../../../platform/db/index.ts'
import { AppError } from '../../../../platform/errors.ts'
import type { Caller } from '../../../../platform/http/caller.ts'
import { secretPlace } from '../../../../platform/mail/index.ts'
import type { Rate } from '../../../../platform/tokenBucket.ts'
import { recordActivity } from '../../../activity/index.ts'
import { Budgets, mailRates } from './budgets.ts'
import {
  findRecipient,
  insertRecipient,
  lockBudgets,
  ownAddress,
  type RecipientRow,
  readInsiders,
  readRecipients,
  saveBudgets,
  sendersOf,
  setAsked,
  setState,
} from './store.ts'
import { askMail, harmless } from './texts.ts'

const askLastsMs = 14 * 24 * 3_600_000
const stopPurpose = 'stop mails of rules'

/** The form in which addresses are compared, the same as `login_name` in the database. */
export function mailAddress(address: string): string {
  return address.normalize('NFKC').trim().toLowerCase().normalize('NFKC')
}

/** Whether a mail may be sent to an address. */
export type Standing = { inside: true } | { inside: false; recipient: RecipientRow | undefined }

/**
 * Who the rules of accounts may write to: users of the account, and external recipients who were asked and
 * agreed.
 */
export class Recipients {
  readonly #ctx: Context

  constructor(ctx: Context) {
    this.#ctx = ctx
  }

  /** The standing of addresses in an account. @param addresses in the form of `mailAddress` */
  async standings(
    db: Executor,
    accountId: number,
    addresses: readonly string[],
  ): Promise<Map<string, Standing>> {
    const inside = await readInsiders(db, accountId, addresses)
    const known = await readRecipients(db, accountId, addresses)
    return new Map(
      addresses.map((address): [string, Standing] => [
        address,
        inside.has(address) && known.get(address)?.state !== 'declined'
          ? { inside: true }
          : { inside: false, recipient: known.get(address) },
      ]),
    )
  }

  /**
   * The addresses of a rule and whether mails may be sent there; does not reveal whether an address belongs
   * to a user.
   */
  async ofRule(db: Executor, accountId: number, actions: readonly RuleAction[]): Promise<RuleRecipient[]> {
    const standings = await this.standings(db, accountId, addressesOf(actions))
    return [...standings].map(([address, standing]) => ({
      address,
      state: standing.inside ? 'confirmed' : (standing.recipient?.state ?? 'unconfirmed'),
      askedAt: standing.inside ? null : (standing.recipient?.askedAt?.toISOString() ?? null),
    }))
  }

  /**
   * Asks the addresses of a rule that have not been asked yet; the caller's own address needs no question.
   */
  async introduce(
    tx: Executor,
    caller: Pick<Caller, 'userId' | 'impersonator' | 'application'> | null,
    accountId: number,
    addresses: readonly string[],
  ): Promise<void> {
    const standings = await this.standings(tx, accountId, addresses)
    const strangers = [...standings].flatMap(([address, standing]) =>
      standing.inside || standing.recipient ? [] : [address],
    )
    if (strangers.length === 0) return
    const isPerson = caller?.userId != null && !caller.impersonator && !caller.application
    const own = isPerson ? await ownAddress(tx, caller.userId as number) : undefined
    for (const address of strangers) {
      const isOwn = address === own
      const row = await insertRecipient(tx, accountId, address, isOwn ? 'confirmed' : 'unconfirmed')
      if (row && !isOwn) await this.#ask(tx, row)
    }
  }

  /**
   * Asks again.
   * @throws AppError DDR_RECIPIENT_ANSWERED, TOO_MANY_REQUESTS
   */
  async askAgain(tx: Executor, accountId: number, address: string): Promise<void> {
    const standing = (await this.standings(tx, accountId, [address])).get(address)
    if (!standing || standing.inside) throw new AppError('DDR_RECIPIENT_ANSWERED')
    const row = standing.recipient ?? (await insertRecipient(tx, accountId, address, 'unconfirmed'))
    if (row && row.state !== 'unconfirmed') throw new AppError('DDR_RECIPIENT_ANSWERED')
    if (!row || !(await this.#ask(tx, row))) throw new AppError('TOO_MANY_REQUESTS')
  }

  /** @throws AppError DDR_RECIPIENT_LINK_ENDED */
  async question(token: string): Promise<RecipientQuestion> {
    const { recipient, mayAccept } = await this.#byToken(this.#ctx.db, token)
    const { address, accountName, state } = recipient
    return { address, accountName, state, mayAccept: mayAccept && state !== 'confirmed' }
  }

  /** @throws AppError DDR_RECIPIENT_LINK_ENDED */
  async answer(token: string, accept: boolean, ip: string): Promise<RecipientQuestion> {
    const { db, clock } = this.#ctx
    await db.transaction().execute(async (tx) => {
      const { recipient, mayAccept } = await this.#byToken(tx, token)
      if (accept && !mayAccept) throw new AppError('DDR_RECIPIENT_LINK_ENDED')
      const state = accept ? 'confirmed' : 'declined'
      if (recipient.state === state) return
      await setState(tx, recipient.id, state, clock.now())
      const about = { subject: 'Rule', objectId: null, objectTitle: recipient.address }
      await recordActivity(
        tx,
        { userId: null, name: recipient.address, ip },
        {
          action: 'update',
          ...about,
          accountId: recipient.accountId,
          changes: { state: [recipient.state, state] },
        },
      )
    })
    return this.question(token)
  }

  /** The token in every mail to an external recipient: it stops mails and never allows any. */
  stopToken(id: number): string {
    return `${id}.${this.#ctx.secrets.mac(String(id), stopPurpose).toString('base64url')}`
  }

  /** @returns false when the budget for questions is used up */
  async #ask(tx: Executor, row: RecipientRow): Promise<boolean> {
    const { clock, config, mail, limitHits } = this.#ctx
    const now = clock.now()
    const sender = (await sendersOf(tx, [row.accountId])).get(row.accountId)
    if (!sender) return false
    const [ofAccount, ofAddress] = [`ask:${sender.customerId}`, `asked:${row.address}`]
    const rates = new Map<string, Rate>([
      [ofAccount, mailRates.askAccount],
      [ofAddress, mailRates.askAddress],
    ])
    const budgets = new Budgets(rates, await lockBudgets(tx, rates, now), now)
    if (!budgets.has(ofAccount) || !budgets.has(ofAddress)) {
      limitHits.note(row.accountId, 'recipientMails', { detail: row.address })
      return false
    }
    budgets.take(ofAccount)
    budgets.take(ofAddress)
    await saveBudgets(tx, budgets.changes())
    const token = randomBytes(32).toString('base64url')
    await setAsked(tx, row.id, { hash: sha256(token), at: now, endsAt: new Date(now.getTime() + askLastsMs) })
    // Sent without an account, so that only the installation's mail server is used: the operator of an
    // account's own server could answer for others.
    await mail.write(tx, askMail, {
      accountId: row.accountId,
      recipients: [row.address],
      language: 'de',
      values: { account: harmless(sender.name), link: secretPlace },
      secret: `${config.publicUrl}/#/rule-mail?token=${token}`,
    })
    return true
  }

  async #byToken(db: Executor, token: string) {
    const now = this.#ctx.clock.now()
    const [, id = '', mac = ''] = /^(\d{1,9})\.([\w-]{43})$/.exec(token) ?? []
    const isStop = id !== '' && isSame(mac, this.#ctx.secrets.mac(id, stopPurpose))
    const by = isStop ? { id: Number(id) } : { hash: sha256(token), now }
    const recipient = await findRecipient(db, by)
    if (!recipient) throw new AppError('DDR_RECIPIENT_LINK_ENDED')
    return { recipient, mayAccept: !isStop }
  }
}

/** The recipients of a rule's mails, each once. */
export function addressesOf(actions: readonly RuleAction[]): string[] {
  const all = actions.flatMap((action) => {
    if (action.kind === 'email') return action.recipients
    return action.kind === 'alarm'
      ? (action.escalation?.steps ?? []).flatMap(({ recipients }) => recipients)
      : []
  })
  return [...new Set(all.map(mailAddress))]
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function isSame(shown: string, mac: Buffer): boolean {
  const bytes = Buffer.from(shown, 'base64url')
  return bytes.length === mac.length && timingSafeEqual(bytes, mac)
}
