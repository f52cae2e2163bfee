import type { Context } from '../../../platform/context.ts'
import type { Executor } from '../../../platform/db/index.ts'
import { AppError } from '../../../platform/errors.ts'
import { recordActivity } from '../../activity/index.ts'
import { notify } from '../notices.ts'
import { aboutUser } from '../sessions/about.ts'
import {
  confirmFactor,
  readFactor,
  replaceRecoveryCodes,
  storeFactor,
  takeRecoveryCode,
  takeStep,
} from './store.ts'
import { makeRecoveryCodes, makeSecret, recoveryCodeOf, stepOf } from './totp.ts'

export type AcceptedCode = 'code' | 'recoveryCode'

/** The second factor of users. Secrets are stored encrypted, recovery codes as keyed hashes. */
export class SecondFactor {
  readonly #ctx: Pick<Context, 'db' | 'clock' | 'secrets' | 'mail' | 'brands'>

  constructor(ctx: Pick<Context, 'db' | 'clock' | 'secrets' | 'mail' | 'brands'>) {
    this.#ctx = ctx
  }

  /** @param db the transaction, within one: a second connection may not be free */
  async isEnabled(userId: number, db: Executor = this.#ctx.db): Promise<boolean> {
    return (await readFactor(db, userId))?.confirmedAt != null
  }

  /**
   * Creates a secret that takes effect once it is confirmed.
   * @throws AppError 2FA_ENABLED_ALREADY
   */
  async begin(tx: Executor, userId: number): Promise<string> {
    const secret = makeSecret()
    const sealed = this.#ctx.secrets.seal(secret, purposeOf(userId))
    if (!(await storeFactor(tx, userId, sealed, this.#ctx.clock.now())))
      throw new AppError('2FA_ENABLED_ALREADY')
    return secret
  }

  /**
   * Confirms the secret with one of its codes.
   * @returns recovery codes
   * @throws AppError 2FA_NOT_SET_UP, 2FA_ENABLED_ALREADY, 2FA_TOKEN_FAILURE
   */
  async confirm(tx: Executor, userId: number, code: string): Promise<string[]> {
    const factor = await readFactor(tx, userId)
    if (!factor) throw new AppError('2FA_NOT_SET_UP')
    if ((await this.#takeCode(tx, userId, factor.secret, code)) !== 'taken')
      throw new AppError('2FA_TOKEN_FAILURE')
    if (!(await confirmFactor(tx, userId, this.#ctx.clock.now()))) throw new AppError('2FA_ENABLED_ALREADY')
    return this.renewCodes(tx, userId)
  }

  /**
   * Accepts a code or a recovery code, each only once. The user gets a mail when a recovery code is used, and
   * when a code is used a second time, since it may have been read over their shoulder.
   * @param ip the client's address
   * @returns null when it is invalid
   */
  async accept(tx: Executor, userId: number, text: string, ip: string): Promise<AcceptedCode | null> {
    const factor = await readFactor(tx, userId)
    if (!factor?.confirmedAt) return null
    const code = text.replace(/\s/g, '')
    if (/^\d{6}$/.test(code)) {
      const answer = await this.#takeCode(tx, userId, factor.secret, code)
      if (answer === 'used') await this.#noteReuse(tx, userId, ip)
      return answer === 'taken' ? 'code' : null
    }
    const recovery = recoveryCodeOf(text)
    if (recovery === null) return null
    const taken = await takeRecoveryCode(tx, userId, this.#hash(userId, recovery), this.#ctx.clock.now())
    if (!taken) return null
    await notify(this.#ctx, tx, userId, 'recoveryCodeUsed')
    return 'recoveryCode'
  }

  /** Replaces all recovery codes. */
  async renewCodes(tx: Executor, userId: number): Promise<string[]> {
    const codes = makeRecoveryCodes()
    await replaceRecoveryCodes(
      tx,
      userId,
      codes.map((code) => this.#hash(userId, code.replace('-', ''))),
    )
    return codes
  }

  async #noteReuse(tx: Executor, userId: number, ip: string): Promise<void> {
    const about = await aboutUser(tx, userId)
    const nobody = { userId: null, name: '', ip }
    await recordActivity(tx, nobody, { action: 'codeUsedTwice', ...about, isChange: false })
    await notify(this.#ctx, tx, userId, 'codeUsedTwice')
  }

  async #takeCode(
    tx: Executor,
    userId: number,
    sealed: string,
    code: string,
  ): Promise<'taken' | 'used' | 'wrong'> {
    const { secrets, clock } = this.#ctx
    const step = stepOf(secrets.open(sealed, purposeOf(userId)), code.replace(/\s/g, ''), clock.now())
    if (step === null) return 'wrong'
    return (await takeStep(tx, userId, step)) ? 'taken' : 'used'
  }

  #hash(userId: number, code: string): Buffer {
    return this.#ctx.secrets.mac(code, `recovery code ${userId}`)
  }
}

function purposeOf(userId: number): string {
  return `second factor ${userId}`
}
