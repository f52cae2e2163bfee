import type { DomainProof, ProofResult } from '@leitstand/contract/domains'
import type { Context } from '../../../platform/context.ts'
import { AnswerTooLarge, guardedFetch } from '../../../platform/net/guardedFetch.ts'

const fileLimits = { timeoutMs: 5_000, bytesMax: 4_096 } as const
/** In the name of the record, the path of the file and the content of both; it does not tell what runs here. */
const mark = 'domain-challenge'
/** Proofs that were published under it are still accepted. */
const formerMark = 'leitstand-challenge'
const marks = [mark, formerMark]
/** What was found under the marks: the first of these counts. */
const weights: readonly ProofResult[] = ['found', 'unanswered', 'different', 'missing']

/** The parts of a claim its proof depends on. The token is bound to its account and domain. */
export interface Provable {
  domain: string
  token: string
}

export interface Look {
  dns: ProofResult
  file: ProofResult
}

/** Name and value of the TXT record. */
export function recordOf({ domain, token }: Provable, under = mark): { name: string; value: string } {
  return { name: `_${under}.${domain}`, value: contentOf(token, under) }
}

/**
 * Address and content of the file: on the domain, with scheme and port of the public address, because the
 * console of the account would be there. The address does not contain all of the content, so a server that
 * echoes addresses in its responses proves nothing.
 */
export function fileOf(
  publicUrl: string,
  { domain, token }: Provable,
  under = mark,
): { url: string; content: string } {
  const url = new URL(publicUrl)
  url.hostname = domain
  url.pathname = `/.well-known/${under}/${token}`
  return { url: url.href, content: contentOf(token, under) }
}

function contentOf(token: string, under: string): string {
  return `${under}=${token}`
}

/** Pure. What counts of several looks. */
function strongest(results: readonly ProofResult[]): ProofResult {
  return weights.find((result) => results.includes(result)) ?? 'missing'
}

/**
 * Looks for the proof in DNS and file. Takes a few seconds at most; never rejects because of a remote
 * response.
 */
export async function look(
  ctx: Pick<Context, 'config' | 'names' | 'outgoing'>,
  claim: Provable,
): Promise<Look> {
  const [dns, file] = await Promise.all([
    Promise.all(marks.map((under) => inDns(ctx, recordOf(claim, under)))),
    Promise.all(marks.map((under) => inFile(ctx, fileOf(ctx.config.publicUrl, claim, under)))),
  ])
  return { dns: strongest(dns), file: strongest(file) }
}

/** Where the proof was found; the DNS takes precedence. */
export function methodOf({ dns, file }: Look): DomainProof | null {
  if (dns === 'found') return 'dns'
  return file === 'found' ? 'file' : null
}

/** Whether the proof is certainly gone: the DNS responded without it, and there is no valid file. */
export function isGone({ dns, file }: Look): boolean {
  return (dns === 'missing' || dns === 'different') && file !== 'found'
}

async function inDns(
  { names }: Pick<Context, 'names'>,
  { name, value }: ReturnType<typeof recordOf>,
): Promise<ProofResult> {
  const texts = await names.texts(name)
  if (texts === null) return 'unanswered'
  if (texts.some((text) => text.trim() === value)) return 'found'
  return texts.length === 0 ? 'missing' : 'different'
}

async function inFile(
  { names, outgoing }: Pick<Context, 'names' | 'outgoing'>,
  { url, content }: ReturnType<typeof fileOf>,
): Promise<ProofResult> {
  // Resolved by DNS only: names in this machine's hosts file prove nothing.
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
