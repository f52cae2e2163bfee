import { describe, expect, it } from 'vitest'
import { expectAccessible, expectFits, phone, startJourney } from './kit.ts'

/** Connectors, devices and drivers: everyday tasks of operators and developers. */

const {
  tab,
  page,
  platform,
  token,
  accountId,
  api,
  make,
  open,
  openAnew,
  button,
  field,
  choice,
  choose,
  dialog,
  says,
  tabNamed,
  tabOf,
} = await startJourney({ isAlone: true })

/** Keys of connectors, made for this test. */
const keys = new Map<string, string>()

/** Delivers a message to the connector with this name; returns the status. */
async function deliver(connector: string, message: unknown): Promise<number> {
  const key = keys.get(connector) ?? (await make.key(connector))
  keys.set(connector, key)
  const response = await fetch(`${platform.url}/api/hooks/${key}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(message),
  })
  return response.status
}

describe('a connector with a template of its own', () => {
  it('says what is missing before it is saved', async () => {
    await open('/connectors/create?kind=webhook-in&next=device')
    await button('Prüfen und speichern').click()
    await says('Dieses Feld ist erforderlich')
  })

  it('tries the template on a message', async () => {
    await field('Name').fill('Pressenhalle')
    await page.getByRole('radio', { name: /Eigenes Skript/ }).check()
    await button('Ausprobieren').click()
    await says('1 Paket')
    await expectAccessible(page, 'template tester')
  })

  it('leads on to the wizard, which offers what was heard without a device', async () => {
    await button('Prüfen und speichern').click()
    await page.getByRole('heading', { name: 'Gerät anlegen' }).waitFor()
    expect(await deliver('Pressenhalle', { device: 'press-7', values: { temperature: 71.5 } })).toBe(422)
    await page.getByRole('radio', { name: /Pressenhalle/ }).waitFor()
    await expectAccessible(page, 'wizard, connector')
    await button('Weiter').click()
    await expectAccessible(page, 'wizard, driver')
    await button('Weiter').click()
    await button(/press-7/).click()
    await field('Titel').fill('Presse 7')
    await expectAccessible(page, 'wizard, identity')
    await button('Weiter').click()
    await field('Adresse').fill('Halle 3')
    await button('Weiter').click()
    await says('Das wird angelegt')
    await expectAccessible(page, 'wizard, summary')
    await page.getByRole('main').getByRole('button', { name: 'Gerät anlegen' }).click()
    await says('Wartet auf das erste Paket')
    await says(/curl -X POST '.*\/api\/hooks\/[\w-]{32}'/)
    expect(await deliver('Pressenhalle', { device: 'press-7', values: { temperature: 71.5 } })).toBe(200)
    await says('Das erste Paket ist da')
    await button('Gerät öffnen').click()
    await says(/71,5/)
  })

  it('is not deleted while a device uses it', async () => {
    await open('/connectors/list')
    await page.getByRole('main').getByRole('link', { name: 'Pressenhalle' }).click()
    await button('Mehr').click()
    await page.getByRole('menuitem', { name: 'Konnektor löschen' }).click()
    await says('Der Konnektor wird noch gebraucht')
    await page.keyboard.press('Escape')
    await tabNamed('Verbindungsdaten').click()
    await says(/curl -X POST/)
    await expectAccessible(page, 'connection data')
    await button('Neuer Schlüssel …').click()
    await dialog()
      .getByText(/gilt sofort und wird nur einmal angezeigt/)
      .waitFor()
    await expectAccessible(page, 'a new key')
    await dialog().getByRole('button', { name: 'Schlüssel erstellen' }).click()
    await says('Der neue Schlüssel gilt.')
    await says(/\/api\/hooks\/[\w-]{32}$/)
    await page.getByRole('button', { name: 'Widerrufen' }).last().click()
    await dialog().getByRole('button', { name: 'Widerrufen' }).click()
    await says('Schlüssel widerrufen.')
    await tabNamed('Statusprotokoll').click()
    await says('Empfangsbereit')
    await expectAccessible(page, 'status log')
  })
})

describe('a device', () => {
  it('tells why nothing arrives', async () => {
    const { items } = await api.get<{ items: { id: number }[] }>('/bridge/configs?search=Pressenhalle')
    await api.post('/virtualdevice', { title: 'Presse 8', externalId: 'press-08', connectorId: items[0]?.id })
    await deliver('Pressenhalle', { device: 'press-80', values: { temperature: 20 } })
    await open('/virtual-devices')
    await page.getByRole('main').getByRole('link', { name: 'Presse 8' }).click()
    await tabNamed('Fehlersuche').click()
    await says(/ähnlichen Kennung „press-80“/)
    await expectAccessible(page, 'diagnosis')
    // Users without manage rights see the connector's state, but nothing that other devices sent.
    const { items: accounts } = await api.get<{ items: { id: number; scopeId: number }[] }>(
      '/tenant/fetch/all',
    )
    const own = accounts.find(({ id }) => id === accountId)
    const { id: userId } = await make.user('olga', { id: accountId, scopeId: own?.scopeId ?? 0 }, 'Operator')
    const { token: theirs } = await api.post<{ token: string }>('/auth/impersonate', { userId })
    const operator = await tabOf(theirs)
    await open(new URL(page.url()).hash.slice(1), operator.page)
    await operator.page.getByText('Konnektor · Webhook (eingehend)').waitFor()
    await operator.page.getByText(/„Pressenhalle“ nimmt Nachrichten an/).waitFor()
    await operator.page.getByText('Mit dieser Kennung ist noch nichts angekommen.').waitFor()
    await operator.page.getByText(/In den letzten 24 Stunden wurde kein Limit erreicht./).waitFor()
    await operator.context.close()
    await page.getByRole('link', { name: 'Kennung ändern' }).click()
    await field('Kennung').fill('press-80')
    await page.keyboard.press('ControlOrMeta+S')
    await says('Stammdaten gespeichert.')
    expect(await deliver('Pressenhalle', { device: 'press-80', values: { temperature: 20 } })).toBe(200)
    await tabNamed('Pakete').click()
    await page.getByRole('button', { name: /temperature 20/ }).click()
    await says('Nutzdaten')
    await expectAccessible(page, 'packet, opened')
  })

  it('keeps what was entered until it is saved or given up', async () => {
    await tabNamed('Stammdaten').click()
    await field('Titel').fill('')
    await button('Speichern').click()
    await says('Dieses Feld ist erforderlich')
    await field('Titel').fill('Presse acht')
    await field('Kennung').fill('press-7')
    await button('Speichern').click()
    await says('Dieser Konnektor hat schon ein Gerät mit dieser Kennung.')
    await expectAccessible(page, 'master data with a fault')
    await tabNamed('Werte').click()
    await button('Weiter bearbeiten').click()
    expect(await field('Titel').inputValue()).toBe('Presse acht')
    await button('Verwerfen').click()
    expect(await field('Titel').inputValue()).toBe('Presse 8')
  })

  it('keeps all that people maintain about it', async () => {
    await tabNamed('Stammdaten').click()
    await field('Adresse').fill('Werkstraße 3')
    await field('Etage').fill('2')
    await field('Name der Etage').fill('Galerie')
    await choose('Betriebsstatus', 'In Betrieb')
    await button('Eintrag hinzufügen').first().click()
    await field('Schlüssel').fill('Inventar')
    await field('Wert').fill('4711')
    // The second row is empty; the error is shown at the third.
    await button('Eintrag hinzufügen').last().click()
    await button('Eintrag hinzufügen').last().click()
    await field('Name').last().fill('Zähler')
    await button('Speichern').click()
    await says('Dieses Feld ist erforderlich')
    expect(await field('Wert').last().getAttribute('aria-invalid')).toBe('true')
    await field('Wert').last().fill('Z-8')
    await button('Speichern').click()
    await says('Stammdaten gespeichert.')
    const { items } = await api.get<{ items: { id: number }[] }>('/virtualdevice?search_items=press-80')
    expect(await api.get(`/virtualdevice/${items[0]?.id}`)).toMatchObject({
      address: 'Werkstraße 3',
      floorNumber: 2,
      floorName: 'Galerie',
      operationalStatus: 3,
      keyValues: { Inventar: '4711' },
      referenceIds: [{ name: 'Zähler', value: 'Z-8' }],
    })
  })

  it('hands its values on to a twin, and is not deleted meanwhile', async () => {
    const { items } = await api.get<{ items: { accountId: number }[] }>('/virtualdevice')
    const twin = { title: 'Halle 3', accountId: items[0]?.accountId }
    const { id } = await api.post<{ id: number }>('/digitaltwin', twin)
    await tabNamed('Datenrouting').click()
    await says('Kein Zwilling bekommt Werte')
    await button('Weiterleiten').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Zwilling', exact: true }).click()
    await page.getByRole('option', { name: /^Halle 3/ }).click()
    await dialog.getByRole('textbox', { name: 'Titel' }).fill('Wärme der Presse')
    await expectAccessible(page, 'new route')
    await dialog.getByRole('button', { name: 'Weiterleiten' }).click()
    await says('Halle 3 › Wärme der Presse')
    await expectAccessible(page, 'data routing')
    expect(await deliver('Pressenhalle', { device: 'press-80', values: { temperature: 21 } })).toBe(200)
    const fed = await api.get<{ items: { value: unknown }[] }>(`/digitaltwin/${id}/states`)
    expect(fed.items.map(({ value }) => value)).toEqual([21])
    await tabNamed('Verwendung').click()
    await says('verhindert das Löschen')
    expect(await button('Gerät löschen').isDisabled()).toBe(true)
    await tabNamed('Datenrouting').click()
    await button(/^Weiterleitung von .* entfernen$/).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Weiterleitung entfernen' }).click()
    await says('Kein Zwilling bekommt Werte')
  })

  it('asks before another driver takes states from it', async () => {
    const reads = (title: string, keys: readonly string[]) =>
      make.driver(title, 'function decodeUplink() { return { data: {} } }', {
        variables: keys.map((key) => ({ key, title: key, unit: '' })),
      })
    const { items } = await api.get<{ items: { id: number; name: string }[] }>('/bridge/configs')
    const connectorId = items.find(({ name }) => name === 'Pressenhalle')?.id ?? 0
    const before = await reads('Alter Leser', ['druck', 'hub', 'takt'])
    await reads('Neuer Leser', ['druck', 'strom'])
    const { id } = await make.device('Presse 9', 'press-9', { connectorId, driverId: before.id })
    const states = await api.get<{ items: { id: number }[] }>(`/digitaltwin/${id}/states`)
    const twin = await api.post<{ id: number }>('/digitaltwin', { title: 'Pressenpark', accountId })
    await api.post('/digitaltwin/states', {
      dtwinId: twin.id,
      key: 'hub',
      title: 'Hub im Park',
      source: 'aggregate',
      sourceSettings: { stateIds: [states.items[1]?.id] },
    })
    const path = `/virtual-devices/${id}?tab=data`
    await open(path)
    await choice('Treiber').fill('Neuer')
    await page.getByRole('option', { name: 'Neuer Leser' }).click()
    await button('Speichern').click()
    const dialog = page.getByRole('dialog', { name: 'Treiber wechseln?' })
    await dialog.getByText('Werden mit ihrem Messverlauf gelöscht').waitFor()
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      'takt noch kein Wert',
      'hub noch kein Wert',
      'Aggregation: Pressenpark · Hub im Park',
    ])
    await expectAccessible(page, 'another driver')
    await dialog.getByRole('button', { name: 'Abbrechen' }).click()
    await says('Nicht gespeicherte Änderungen')
    await button('Speichern').click()
    await dialog.getByRole('button', { name: 'Speichern und 1 Datenpunkt löschen' }).click()
    await says('Stammdaten gespeichert.')
    const after = await api.get<{ items: { key: string }[] }>(`/digitaltwin/${id}/states`)
    expect(after.items.map(({ key }) => key)).toEqual(['druck', 'hub', 'strom'])
    await api.delete(`/digitaltwin/${twin.id}`)
    await api.delete(`/virtualdevice/${id}`)
    await open('/virtual-devices')
    await page.getByRole('main').getByRole('link', { name: 'Presse 8' }).click()
  })

  it('names who looks after it', async () => {
    await tabNamed('Stammdaten').click()
    await says('Noch keine Zuständigen.')
    await page.getByRole('combobox', { name: 'Benutzer' }).click()
    await page.getByRole('option').first().click()
    await button('Hinzufügen').click()
    await button(/\(Verantwortliche Person\) entfernen$/).waitFor()
    await expectAccessible(page, 'master data with a responsible user')
    await button(/\(Verantwortliche Person\) entfernen$/).click()
    await says('Noch keine Zuständigen.')
  })

  it('is switched off and on with others, and found by filters', async () => {
    await open('/virtual-devices')
    await expectAccessible(page, 'devices')
    await page.getByRole('checkbox', { name: /^Alle Zeilen/ }).check()
    await button('Deaktivieren').click()
    await says('2 Geräte deaktiviert')
    await open('/virtual-devices?state=disabled&q=Presse')
    await page
      .getByRole('main')
      .getByRole('link', { name: /Presse 7/ })
      .waitFor()
    await expectAccessible(page, 'disabled devices')
    await page.getByRole('checkbox', { name: /^Alle Zeilen/ }).check()
    await button('Aktivieren').click()
    await says('2 Geräte aktiviert')
    await open('/virtual-devices?health=2')
    await says('Kein Treffer für diese Filter')
    await open('/virtual-devices/map')
    await says(/Kein Gerät mit Position/)
    await expectAccessible(page, 'device map without positions')
  })

  it('shows the way it went', async () => {
    const moved = (latitude: number) =>
      deliver('Pressenhalle', { device: 'press-80', values: { latitude, longitude: 7.6 } })
    expect(await moved(51.9)).toBe(200)
    expect(await moved(52.1)).toBe(200)
    await open('/virtual-devices')
    await page
      .getByRole('main')
      .getByRole('link', { name: /Presse 8/ })
      .click()
    await tabNamed('Position').click()
    await says('2 Orte')
    await button(/52,1°/).click()
    await expectAccessible(page, 'position')
    const twin = await api.post<{ id: number }>('/digitaltwin', { title: 'Kehrmaschine', accountId })
    for (const [key, value] of [
      ['latitude', 51.5],
      ['longitude', 7.4],
    ] as const) {
      const state = { dtwinId: twin.id, key, title: key, source: 'none' }
      const { id } = await api.post<{ id: number }>('/digitaltwin/states', state)
      await api.put(`/digitaltwin/states/${id}/value`, { value })
    }
    await open(`/digitaltwin-mgmt/${twin.id}?tab=map`)
    await says('1 Ort')
    await button(/51,5°/).click()
    await expectAccessible(page, 'the way of a twin')
  })

  it('is deleted after its title was typed', async () => {
    await open('/virtual-devices')
    await page
      .getByRole('main')
      .getByRole('link', { name: /Presse 8/ })
      .click()
    await tabNamed('Verwendung').click()
    await says('Noch nicht verwendet')
    await expectAccessible(page, 'dependencies')
    await button('Gerät löschen').click()
    const dialog = page.getByRole('dialog')
    expect(await dialog.getByRole('button', { name: 'Gerät löschen' }).isDisabled()).toBe(true)
    await dialog.getByRole('textbox').fill('Presse 8')
    await dialog.getByRole('button', { name: 'Gerät löschen' }).click()
    await says('„Presse 8“ wurde gelöscht.')
    await page.getByRole('heading', { name: 'Geräte', exact: true }).waitFor()
  })
})

describe('a driver', () => {
  it('is copied from a delivered one', async () => {
    await open('/virtual-device-drivers')
    await expectAccessible(page, 'drivers')
    await page.getByRole('textbox', { name: 'Titel, Hersteller oder Modell' }).fill('LHT65')
    await page.getByRole('main').getByRole('link', { name: 'Dragino LHT65' }).click()
    await expectAccessible(page, 'driver')
    await button('Mehr').click()
    await page.getByRole('menuitem', { name: 'Duplizieren' }).click()
    await page.getByRole('main').getByRole('button', { name: 'Treiber anlegen' }).click()
    await page.getByRole('heading', { name: 'Dragino LHT65 (Kopie)' }).waitFor()
  })

  it('shows an error at its line, and what golden packets say to a change', async () => {
    await page.getByRole('textbox', { name: 'Skript des Treibers' }).click()
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText('function decodeUplink(input) {\n  return { data: { a: missing } }\n}')
    await says(/\(Zeile 2\)/)
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.insertText(
      'function decodeUplink(input) {\n  console.log("length", input.bytes.length)\n  return { data: { a: input.bytes[0] } }\n}',
    )
    await says('length 11')
    await expectAccessible(page, 'parser with a changed script')
    await field('Was ist neu in Version 2?').fill('Nur das erste Byte')
    await button('Speichern und veröffentlichen').click()
    await says('Prüfpakete ergeben etwas anderes')
    await expectAccessible(page, 'golden mismatch')
    await button('Neue Ergebnisse übernehmen').click()
    await says('Version 2 ist veröffentlicht')
    await tabNamed(/^Prüfpakete/).click()
    await says('Alle stimmen')
    await expectAccessible(page, 'golden packets')
  })

  it('goes back to an older version', async () => {
    await tabNamed(/^Versionen/).click()
    await says('Nur das erste Byte')
    await expectAccessible(page, 'versions')
    await button('Auf diese Version zurückgehen').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Veröffentlichen' }).click()
    await says('Version 1 ist veröffentlicht')
  })

  it('is taken over from JSON, with what is wrong in it named', async () => {
    await open('/virtual-device-drivers')
    await button('Weitere Wege zu einem Treiber').click()
    await page.getByRole('menuitem', { name: 'Aus JSON einfügen' }).click()
    await field('JSON').fill('{"title":"Aus Text"}')
    await says('script: Dieses Feld ist erforderlich')
    await field('JSON').fill('{"title":"Aus Text","script":"function decodeUplink(){return {data:{a:1}}}"}')
    await button('Weiter').click()
    await page.getByRole('main').getByRole('button', { name: 'Treiber anlegen' }).click()
    await page.getByRole('heading', { name: 'Aus Text' }).waitFor()
    await tabNamed(/^Variablen/).click()
    await says('Noch keine Variablen')
    await expectAccessible(page, 'variables')
  })
})

describe('the logs of the platform', () => {
  it('name who changed what', async () => {
    await open('/system-logs')
    await page.getByRole('row', { name: /Treiber.*Aus Text/ }).waitFor()
    await expectAccessible(page, 'activity')
    await page
      .getByRole('row', { name: /Treiber.*Aus Text/ })
      .getByRole('button')
      .click()
    await page.getByRole('dialog').getByText('IP-Adresse').waitFor()
    await page.keyboard.press('Escape')
    await tabNamed('E-Mails').click()
    // The mail to the new operator.
    await button('Leitstand: Ihr Zugang').waitFor()
    await expectAccessible(page, 'mails')
  })
})

describe('on a phone in the dark, in English', async () => {
  const theirs = await tabOf(token, phone)
  it.each([
    '/virtual-devices',
    '/virtual-devices/1',
    '/virtual-devices/1?tab=packets',
    '/virtual-devices/1?tab=data',
    '/virtual-device-drivers',
    '/virtual-device-drivers/1?tab=parser',
    '/connectors/list',
    '/connectors/create?kind=mqtt-in',
    '/connectors/edit/1/1?tab=logs',
    '/system-logs',
  ])('%s fits and can be read', async (path) => {
    await openAnew(path, theirs.page)
    await expectFits(theirs.page, `${path} on a phone`)
    expect(theirs.problems).toEqual([])
  })
})

it('shows drivers as cards on a phone, too', async () => {
  const { page: small } = await tabOf(token, phone)
  await open('/virtual-device-drivers', small)
  await small.getByRole('button', { name: 'Show as cards' }).click()
  await small.getByRole('button', { name: 'Show as table' }).waitFor()
  await small.getByRole('listitem').filter({ hasText: 'Aus Text' }).waitFor()
  await expectFits(small, 'drivers as cards on a phone')
})

it('left only refusals that were meant in the console of the browser', () => {
  const meant = /status of (409|422)/
  expect(tab.problems.filter((problem) => !meant.test(problem))).toEqual([])
})
