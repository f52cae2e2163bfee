import type { ExportTargetKind } from '@leitstand/contract/exportSchedules'
import type { Context } from '../../../platform/context.ts'
import type { StoredTarget } from '../schedules.store.ts'
import { connectorTarget } from './connector.ts'
import { fileTarget } from './file.ts'
import { mailTarget } from './mail.ts'
import type { TargetKind } from './types.ts'

export type { Parcel } from './types.ts'

/** Looks up how a file gets to a target. */
export type TargetsOf = (target: StoredTarget) => TargetKind

/** Every kind of target. */
export function targets(
  ctx: Context,
  parts: Parameters<typeof mailTarget>[1] & Parameters<typeof connectorTarget>[1],
): TargetsOf {
  const kinds: { [K in ExportTargetKind]: TargetKind<K> } = {
    mail: mailTarget(ctx, parts),
    connector: connectorTarget(ctx, parts),
    file: fileTarget(ctx),
  }
  return ({ kind }) => kinds[kind] as TargetKind
}
