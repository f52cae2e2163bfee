import { beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** What administrators look for after something went wrong: the entry of a failed request, failed jobs and sign-ins. */

// It is for the administrator of the installation.
const journey = await startJourney({ isAlone: true })
const { page, platform, token, api, make, openAnew, row, says, tabOf, field, button } = journey
let requestId = ''

/** Fails as if the database had lost a table. */
async function failedRequest(): Promise<string> {
  await platform.fill('alter table feature_flags rename to gone')
  const reply = await fetch(`${platform.url}/api/tenant/${journey.accountId}/feature-flags`, {
    headers: { authorization: `Bearer ${token}` },
  })
  await platform.fill('alter table gone rename to feature_flags')
  return ((await reply.json()) as { requestId: string }).requestId
}

beforeAll(async () => {
  requestId = await failedRequest()
  const account = await make.account('Hafen')
  await make.user('ada', account, 'Viewer')
  const wrong = (username: string) =>
    fetch(`${platform.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username, password: 'not this one' }),
    })
  for (const name of ['ada', 'ada', 'sesame open']) expect((await wrong(name)).status).toBe(401)
  await platform.fill(`
    insert into background_jobs (type, account_id, scope_id, user_name, title, resource_type, resource_id, params, total,
      done, result, state, error, created_at, stopped_at)
    select 'virtualdevice-bulk-edit', ${account.id}, ${account.scopeId}, 'ada', title, 'account', ${account.id}, '{}', 9, 9,
      result::jsonb, state, error::jsonb, now(), now()
    from (values ('Neuer Treiber für alle Pegel', '{"failed": 4}', 'done', null),
      ('Pegel umbenennen', '{}', 'failed', '{"code": "INTERNAL_ERROR", "message": "it broke"}'),
      ('Alles gut', '{"failed": 0}', 'done', null)) as given (title, result, state, error)`)
})

describe('the logs', () => {
  it('find the one entry of a failed request by its ID, which stays in the address', async () => {
    await openAnew('/system-logs?tab=server')
    await row(/request failed/)
      .first()
      .waitFor()
    await expectAccessible(page, 'server log')
    await openAnew(`/system-logs?tab=server&requestId=${requestId}`)
    await row(/request failed: .*feature_flags/).waitFor()
    expect(await row(/request failed/).count()).toBe(1)
    await button(/request failed/).click()
    await says('Stelle im Programm')
    await expectAccessible(page, 'entry of the server log')
    await page.keyboard.press('Escape')
    await openAnew('/system-logs?tab=server&requestId=another')
    await says('Kein Treffer für diese Filter')
    expect(await row(/request failed/).count()).toBe(0)
  })

  it('show who could not sign in, and lead to the user', async () => {
    // Written every two seconds.
    await expect
      .poll(async () => (await api.get<{ total: number }>('/failed-sign-ins')).total, { timeout: 20_000 })
      .toBe(2)
    await openAnew('/system-logs?tab=sign-ins')
    await row(/ada.*Falsches Passwort.*2.*Hafen/).waitFor()
    await row(/ses….*Unbekannter Name/).waitFor()
    expect(await page.getByText('sesame').count()).toBe(0)
    await expectAccessible(page, 'failed sign-ins')
    await field('Name oder Adresse').fill('ada')
    await expect.poll(() => row(/ses…/).count()).toBe(0)
    await page.getByRole('link', { name: 'ada', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: /ada/ }).waitFor()
  })

  it('show the jobs with errors of all accounts', async () => {
    await openAnew('/system-logs?tab=jobs')
    await row(/Pegel umbenennen.*Hafen/).waitFor()
    await row(/Neuer Treiber für alle Pegel.*Hafen/).waitFor()
    expect(await row(/Alles gut/).count()).toBe(0)
    await expectAccessible(page, 'failed jobs')
    await page.getByRole('link', { name: /Pegel umbenennen/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Pegel umbenennen' }).waitFor()
  })

  it('are read on a phone', async () => {
    const small = await tabOf(token, phone)
    for (const [tab, text] of [
      ['server', /request failed/],
      ['sign-ins', /Unknown name/],
      ['jobs', /Pegel umbenennen/],
    ] as const) {
      await openAnew(`/system-logs?tab=${tab}`, small.page)
      await small.page.getByText(text).filter({ visible: true }).first().waitFor()
      await expectAccessible(small.page, `${tab} on a phone`)
      await expectFits(small.page, `${tab} on a phone`)
    }
    expect(small.problems).toEqual([])
    await small.context.close()
  })
})
