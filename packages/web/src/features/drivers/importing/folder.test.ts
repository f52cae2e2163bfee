import { gunzipSync } from 'node:zlib'
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
