import { gunzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { archiveOf, filesOfFolder, tarHeader } from './folder.ts'

const file = (path: string, text = '') => {
  const made = new File([text], path.split('/').at(-1) ?? '')
  Object.defineProperty(made, 'webkitRelativePath', { value: path })
  return made
}
const text = (bytes: Uint8Array, from: number, length: number) =>
  new TextDecoder().decode(bytes.subarray(from, from + length)).replace(/\0.*$/s, '')

describe('a folder of a device repository', () => {
  it('is sent without what the server does not read', () => {
    const files = ['acme/index.yaml', 'acme/a.js', 'acme/photo.jpg', 'acme/.git/x.json', 'acme/b.TOML'].map(
      (path) => file(path),
    )
    expect(filesOfFolder(files).map(({ path }) => path)).toEqual([
      'acme/index.yaml',
      'acme/a.js',
      'acme/b.TOML',
    ])
  })

  it('becomes a tar file of whole blocks, with the content behind its header', async () => {
    const content = 'x'.repeat(700)
    const archive = await archiveOf([{ path: 'acme/a.js', content: file('acme/a.js', content) }])
    const tar = gunzipSync(Buffer.from(await archive.arrayBuffer()))
    expect(tar.length).toBe(512 + 1024 + 1024)
    expect([text(tar, 0, 100), Number.parseInt(text(tar, 124, 12), 8)]).toEqual(['acme/a.js', 700])
    expect(text(tar, 512, 700)).toBe(content)
    const blanked = Buffer.from(tar.subarray(0, 512)).fill(' ', 148, 156)
    expect(Number.parseInt(text(tar, 148, 8), 8)).toBe(blanked.reduce((sum, byte) => sum + byte, 0))
  })

  it('divides long paths, and refuses those that no header can hold', () => {
    const long = `${'folder/'.repeat(20)}codec.js`
    const header = tarHeader(long, 0)
    expect(`${text(header, 345, 155)}/${text(header, 0, 100)}`).toBe(long)
    expect(() => tarHeader(`${'x'.repeat(101)}.js`, 0)).toThrow('The path is too long')
  })
})

describe('a header', () => {
  const checksumOf = (header: Uint8Array) => {
    const blanked = Buffer.from(header).fill(' ', 148, 156)
    return blanked.reduce((sum, byte) => sum + byte, 0)
  }

  it('holds path, size and checksum of any file', () => {
    const name = fc.stringMatching(/^[a-zäöü0-9_.-]{1,30}$/)
    fc.assert(
      fc.property(fc.array(name, { minLength: 1, maxLength: 4 }), fc.nat(), (parts, size) => {
        const path = parts.join('/')
        const header = tarHeader(path, size)
        const [prefix, rest] = [text(header, 345, 155), text(header, 0, 100)]
        expect(prefix === '' ? rest : `${prefix}/${rest}`).toBe(path)
        expect(Number.parseInt(text(header, 124, 12), 8)).toBe(size)
        expect(Number.parseInt(text(header, 148, 8), 8)).toBe(checksumOf(header))
        expect([text(header, 257, 6), text(header, 156, 1)]).toEqual(['ustar', '0'])
      }),
    )
  })

  it.each([
    ['exactly what fits', 'x'.repeat(100), true],
    ['one more without a folder', 'x'.repeat(101), false],
    ['in bytes, not in letters', 'ä'.repeat(51), false],
    ['a long folder and a long name', `${'f'.repeat(155)}/${'x'.repeat(100)}`, true],
    ['a folder that is too long', `${'f'.repeat(156)}/${'x'.repeat(100)}`, false],
    ['a name that is too long', `f/${'x'.repeat(101)}`, false],
  ])('%s', (_name, path, fits) => {
    if (fits) expect(tarHeader(path, 0)).toHaveLength(512)
    else expect(() => tarHeader(path, 0)).toThrow(RangeError)
  })
})

describe('an archive', () => {
  it('holds every file, of any size, on the borders of blocks', async () => {
    const sizes = [0, 1, 511, 512, 513, 1024]
    const files = sizes.map((size) => ({ path: `acme/${size}.js`, content: file('a.js', 'y'.repeat(size)) }))
    const tar = gunzipSync(Buffer.from(await (await archiveOf(files)).arrayBuffer()))
    expect(tar.length % 512).toBe(0)
    let at = 0
    for (const size of sizes) {
      expect(text(tar, at, 100)).toBe(`acme/${size}.js`)
      expect(text(tar, at + 512, size)).toBe('y'.repeat(size))
      at += 512 + Math.ceil(size / 512) * 512
    }
    expect(tar.subarray(at).every((byte) => byte === 0)).toBe(true)
    expect(tar.length - at).toBe(1024)
  })

  it.each([
    ['acme/node_modules/x/index.js', false],
    ['acme/sub/.git/config.json', false],
    ['acme/.gitignore.yaml', true],
    ['acme/my-node_modules/index.js', true],
    ['acme/a.yml', true],
    ['acme/a.yaml.txt', false],
    ['acme/a.CJS', true],
    ['acme/README.md', false],
    ['acme/json', false],
  ])('%s is sent: %s', (path, sent) => {
    expect(filesOfFolder([file(path)])).toHaveLength(sent ? 1 : 0)
  })

  it('a file without a folder has its name as path', () => {
    expect(filesOfFolder([new File(['x'], 'a.js')]).map(({ path }) => path)).toEqual(['a.js'])
  })
})
