import type { Names } from '../../../platform/net/names.ts'

/** A name without a dot (`leitstand`, `localhost`) or an IP address means something in the own network only. */
export function isAsked(domain: string): boolean {
  return domain.includes('.') && !/^[\d.]+$/.test(domain) && !domain.endsWith('.localhost')
}

/** What the DNS says about domains; those it knows are left out. */
export async function examine(
  names: Names,
  domains: readonly string[],
): Promise<{ unknown: string[]; unchecked: string[] }> {
  const answers = await Promise.all(
    domains.filter(isAsked).map(async (domain) => ({ domain, answer: await names.ask(domain) })),
  )
  const of = (wanted: string) => answers.filter(({ answer }) => answer === wanted).map(({ domain }) => domain)
  return { unknown: of('unknown'), unchecked: of('unanswered') }
}
