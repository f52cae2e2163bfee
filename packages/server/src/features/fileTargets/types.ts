import type { FileTarget, FileTargetFailure, FileTargetKind } from '@leitstand/contract/fileTargets'
import type { SocketGuard } from '../../platform/net/guardedSocket.ts'

/** A file to deliver. */
export interface OutgoingFile {
  /** without a path */
  name: string
  type: string
  /** in bytes, exactly */
  size: number
  /** from the beginning, each time it is called */
  content(): AsyncIterable<Uint8Array>
}

export interface TargetTools {
  outgoing: SocketGuard
  /** ends everything the target does */
  signal: AbortSignal
}

export type TargetOf<K extends FileTargetKind> = Extract<FileTarget, { kind: K }>

/** One kind of server that takes files. */
export interface TargetKind<K extends FileTargetKind = FileTargetKind> {
  /**
   * Stores a file under its name in the folder, created when it is missing. Nobody sees a part of it under this name, and
   * one that is already there is replaced.
   * @throws TargetError
   */
  send(tools: TargetTools, target: TargetOf<K>, secret: string, file: OutgoingFile): Promise<void>
  /**
   * Deletes a file of the folder.
   * @throws TargetError
   */
  remove(tools: TargetTools, target: TargetOf<K>, secret: string, name: string): Promise<void>
}

/** Why a file did not arrive. */
export class TargetError extends Error {
  readonly failure: FileTargetFailure

  /** @param detail what the server said, for the log of the export */
  constructor(failure: FileTargetFailure, detail: string, options?: ErrorOptions) {
    super(detail, options)
    this.name = 'TargetError'
    this.failure = failure
  }
}
