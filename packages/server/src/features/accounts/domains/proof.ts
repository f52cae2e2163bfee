import type { DomainProof, ProofResult } from '@leitstand/contract/domains'
import type { Context } from '../../../platform/context.ts'
import { AnswerTooLarge, guardedFetch } from '../../../platform/net/guardedFetch.ts'

const fileLimits = { timeoutMs: 5_000, bytesMax: 4_096 } as const
const label = '_leitstand-challenge'
const folder = '/.well-known/leitstand-challenge'

/** A claim as far as it is proven: the token is bound to its account and domain. */
export interface Provable {
  domain: string
  token: string
}

export interface Look {
  dns: ProofResult
  file: ProofResult
}

/** Name and value of the TXT record. */
export function recordOf({ domain, token }: Provable): { name: string; value: string } {
  return { name: `${label}.${domain}`, value: contentOf(token) }
}

/**
 * Address and content of the file: on the domain, with scheme and port of the public address, because that is where the
 * console of the account would be. The content is more than the address holds, so that a server that repeats addresses
 * in its answers proves nothing.
 */
export function fileOf(publicUrl: string, { domain, token }: Provable): { url: string; content: string } {
  const url = new URL(publicUrl)
  url.hostname = domain
  url.pathname = `${folder}/${token}`
  return { url: url.href, content: contentOf(token) }
}

function contentOf(token: string): string {
  return `leitstand-challenge=${token}`
}

/** Looks for the proof in both places. Takes some seconds at most; never rejects for what others answer. */
export async function look(
  ctx: Pick<Context, 'config' | 'names' | 'outgoing'>,
  claim: Provable,
): Promise<Look> {
  const [dns, file] = await Promise.all([inDns(ctx, claim), inFile(ctx, claim)])
  return { dns, file }
}

/** By which way a look has found the proof. */
export function methodOf({ dns, file }: Look): DomainProof | null {
  if (dns === 'found') return 'dns'
  return file === 'found' ? 'file' : null
}

/** Whether it is certain that the proof is no longer there: the DNS answered, and no file counts in its place. */
export function isGone({ dns, file }: Look): boolean {
  return (dns === 'missing' || dns === 'different') && file !== 'found'
}

async function inDns({ names }: Pick<Context, 'names'>, claim: Provable): Promise<ProofResult> {
  const { name, value } = recordOf(claim)
  const texts = await names.texts(name)
  if (texts === null) return 'unanswered'
  if (texts.some((text) => text.trim() === value)) return 'found'
  return texts.length === 0 ? 'missing' : 'different'
}

async function inFile(
  { config, names, outgoing }: Pick<Context, 'config' | 'names' | 'outgoing'>,
  claim: Provable,
): Promise<ProofResult> {
  const { url, content } = fileOf(config.publicUrl, claim)
  // Asked of the DNS alone: what this machine calls itself, or others, proves nothing.
  const addressOf = async (host: string): Promise<string> => {
    const found = await names.addresses(host)
    const allowed = await Promise.all(found.map((address) => outgoing.addressOf(address)))
    const [first] = allowed
    if (first === undefined) throw new Error(`${host} has no address`)
    return first
  }
  try {
    const answer = await guardedFetch({ addressOf }, fileLimits)(url)
    if (answer.status >= 500) return 'unanswered'
    if (answer.status !== 200) return 'missing'
    return (await answer.text()).trim() === content ? 'found' : 'different'
  } catch (error) {
    return error instanceof AnswerTooLarge ? 'different' : 'unanswered'
  }
}
