/**
 * The process that reads users' files. `process.ts` starts it without an environment; it may read nothing
 * except its own code, and its only connection to the server is a pipe.
 */
import { Socket } from 'node:net'
import { AppError } from '../errors.ts'
import { framesOf, frameTypes, writeFrame } from './frames.ts'
import { type ReadFunction, readerLimits } from './types.ts'

/** Larger than any file an operation of the contract accepts. */
const fileBytesMax = 64 * 1_048_576

const pipe = new Socket({ fd: 3, readable: true, writable: true })

const written = (): Promise<void> =>
  pipe.writableNeedDrain ? new Promise((resolve) => pipe.once('drain', resolve)) : Promise.resolve()

async function read({ module, input }: { module: string; input: unknown }, bytes: Buffer): Promise<void> {
  try {
    const { default: run } = (await import(module)) as { default: ReadFunction<unknown> }
    for await (const part of run(new Uint8Array(bytes), input)) {
      const text = Buffer.from(JSON.stringify(part))
      if (text.length > readerLimits.partBytesMax) throw new RangeError('a part of the answer is too long')
      writeFrame(pipe, frameTypes.part, text)
      await written()
    }
    writeFrame(pipe, frameTypes.done)
  } catch (error) {
    if (error instanceof AppError) {
      const { code, message, data } = error
      writeFrame(pipe, frameTypes.refused, JSON.stringify({ code, message: message.slice(0, 500), data }))
    } else if (error instanceof RangeError || codeOf(error) === 'ERR_MEMORY_ALLOCATION_FAILED') {
      // Too deep, too long or too much memory: the state of this process is unknown, so end it.
      process.stderr.write(String(error))
      process.exit(1)
    } else writeFrame(pipe, frameTypes.failed, String(error instanceof Error ? error.stack : error))
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}

let task: { module: string; input: unknown } | undefined
for await (const { type, content } of framesOf(pipe, fileBytesMax)) {
  if (type === frameTypes.task) task = JSON.parse(content.toString()) as typeof task
  else if (task) await read(task, content)
}
