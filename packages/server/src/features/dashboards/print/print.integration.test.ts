import { expect, it } from 'vitest'
import { createAccount, startApp } from '../../../../test/kit.ts'
import { readPdf } from '../../../../test/pdf.ts'
import { createState, createTwin, writeValues } from '../../../../test/twins.ts'

it('prints a dashboard with the values of the period, in the language and zone of the reader', async () => {
  const app = await startApp()
  const account = await createAccount(app, { name: 'Stadt' })
  const twin = await createTwin(app, account, { title: 'Rathaus' })
  const stateId = await createState(app, twin.id, 'temperature', { unit: '°C', title: 'Temperatur' })
  await writeValues(app, [{ stateId, value: 21.5, time: new Date('2026-06-01T10:00:00Z') }])
  const { id } = await app.api.dashboards.create({
    accountId: account.id,
    name: 'Räume <1>',
    description: 'Erster Stock',
    widgets: [{ type: 'value', title: 'Jetzt', valueOptions: { stateIds: [stateId] } }],
  })
  const { body, headers } = await app.api.dashboards.pdf({
    id,
    dateRangeStart: '2026-06-01T00:00:00.000Z',
    dateRangeEnd: '2026-06-02T00:00:00.000Z',
    timeZone: 'Asia/Tokyo',
    language: 'de',
  })
  expect(headers['content-disposition']).toContain('R_ume <1> 2026-06-02.pdf')
  const { text, pages } = await readPdf(new Uint8Array(await body.arrayBuffer()))
  for (const part of ['Räume <1>', 'Erster Stock', 'Stadt', 'Jetzt', '21,5', '01.06.2026, 09:00'])
    expect(text).toContain(part)
  expect(pages).toBe(1)
})
