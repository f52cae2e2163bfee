/** A file of a folder: its path, starting with the folder's name. */
export interface FolderFile {
  path: string
  content: Blob
}

/** Files the server reads of a device repository; pictures and the like are not uploaded. */
const readable = /\.(?:ya?ml|toml|js|cjs|json)$/i

/** The files of a selected folder to upload. */
export function filesOfFolder(files: Iterable<File>): FolderFile[] {
  return [...files]
    .map((file) => ({ path: file.webkitRelativePath || file.name, content: file }))
    .filter(({ path }) => readable.test(path) && !/(?:^|\/)(?:\.git|node_modules)\//.test(path))
}

const blockBytes = 512
/** Maximum length of the name and of its prefix in a tar header. */
const nameMax = 100
const prefixMax = 155

/**
 * A folder as a tar.gz, the server's archive format.
 * @throws RangeError for a path too long for a tar header
 */
export async function archiveOf(files: readonly FolderFile[]): Promise<Blob> {
  const parts: BlobPart[] = files.flatMap(({ path, content }) => [
    tarHeader(path, content.size),
    content,
    new Uint8Array((blockBytes - (content.size % blockBytes)) % blockBytes),
  ])
  const tar = new Blob([...parts, new Uint8Array(2 * blockBytes)])
  return new Response(tar.stream().pipeThrough(new CompressionStream('gzip'))).blob()
}

/** The header of a plain file (ustar). */
export function tarHeader(path: string, size: number): Uint8Array<ArrayBuffer> {
  const header = new Uint8Array(blockBytes)
  const [prefix, name] = splitPath(path)
  const put = (text: string, at: number) => header.set(new TextEncoder().encode(text), at)
  const octal = (value: number, digits: number) => value.toString(8).padStart(digits, '0')
  put(name, 0)
  put(octal(0o644, 7), 100)
  put(octal(0, 7), 108)
  put(octal(0, 7), 116)
  put(octal(size, 11), 124)
  put(octal(0, 11), 136)
  // The checksum is computed with its own field as spaces.
  put('        ', 148)
  put('0', 156)
  put('ustar\u000000', 257)
  put(prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(`${octal(sum, 6)}\u0000 `, 148)
  return header
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length

/** Splits a path so that both parts fit. */
function splitPath(path: string): [string, string] {
  if (bytesOf(path) <= nameMax) return ['', path]
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) {
    const [prefix, name] = [path.slice(0, at), path.slice(at + 1)]
    if (bytesOf(prefix) <= prefixMax && bytesOf(name) <= nameMax) return [prefix, name]
  }
  throw new RangeError(`The path is too long: ${path}`)
}
