import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { expectAccessible, startJourney } from './kit.ts'

/** Drivers from a device repository's archive: preview, selection and result. */

const { page, platform } = await startJourney()

/** A tar archive (USTAR) of texts, packed with gzip. */
function tarGz(entries: Record<string, string>): Buffer {
  const blocks = Object.entries(entries).flatMap(([name, text]) => {
    const content = Buffer.from(text)
    const header = Buffer.alloc(512)
    header.write(name)
    header.write('0000644\0', 100)
    header.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124)
    header.write('        0', 148)
    header.write('ustar\x0000', 257)
    const sum = header.reduce((total, byte) => total + byte, 0)
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
    return [header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]
  })
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
}

const repository = {
  'vendors/acme/vendor.toml': '[vendor]\nname = "Acme"\n',
  'vendors/acme/devices/acme-level.toml':
    '[device]\nname = "Acme Level"\n\n[[device.firmware]]\nprofiles = ["EU868.toml"]\ncodec = "level.js"\n',
  'vendors/acme/devices/acme-gone.toml':
    '[device]\nname = "Acme Gone"\n\n[[device.firmware]]\ncodec = "gone.js"\n',
  'vendors/acme/codecs/level.js':
    'function decodeUplink(input) { return { data: { level: input.bytes[0] } } }\n',
  'vendors/acme/codecs/test_decode_level.json': JSON.stringify([
    { name: 'half', input: { bytes: [50] }, expected: { data: { level: 50 } } },
    { name: 'full', input: { bytes: [99] }, expected: { data: { level: 100 } } },
  ]),
}
const archive = tarGz(repository)

const openImport = async () => {
  await page.goto(`${platform.url}/#/virtual-device-drivers`)
  await page.getByRole('button', { name: 'Weitere Wege', exact: false }).first().click()
  await page.getByRole('menuitem', { name: 'Aus einem Geräteverzeichnis importieren' }).click()
  return page.getByRole('dialog', { name: 'Treiber importieren' })
}

it('says what an archive holds, and makes a driver of what was chosen', async () => {
  const dialog = await openImport()
  const choosing = page.waitForEvent('filechooser')
  await dialog
    .getByRole('button', { name: /Archiv|Datei wählen/ })
    .first()
    .click()
  await (await choosing).setFiles({ name: 'acme.tar.gz', mimeType: 'application/gzip', buffer: archive })

  await dialog.getByText('2 Geräte gefunden, davon 1 importierbar.').waitFor()
  await dialog.getByText('Im Archiv fehlt vendors/acme/codecs/gone.js.').waitFor()
  await dialog.getByText('full: level sollte 100 sein, ist 99').waitFor()
  await expectAccessible(page, 'what an archive holds')
  await dialog.getByRole('button', { name: '1 Treiber anlegen' }).click()
  await dialog.getByText('1 Treiber angelegt.').waitFor()
  await dialog.getByRole('link', { name: 'Acme Level' }).click()
  await page.getByRole('heading', { level: 1, name: 'Acme Level' }).waitFor()
  expect(page.url()).toMatch(/virtual-device-drivers\/\d+/)
})

it('takes a folder as well as an archive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'acme-'))
  try {
    for (const [path, text] of Object.entries({ ...repository, 'vendors/acme/photo.jpg': 'no picture' })) {
      mkdirSync(join(folder, dirname(path)), { recursive: true })
      writeFileSync(join(folder, path), text)
    }
    const dialog = await openImport()
    const choosing = page.waitForEvent('filechooser')
    await dialog.getByRole('button', { name: 'Ordner wählen' }).click()
    await (await choosing).setFiles(folder)
    // The driver was already imported from the archive.
    await dialog.getByText('2 Geräte gefunden, davon 0 importierbar.').waitFor()
  } finally {
    rmSync(folder, { recursive: true })
  }
})
