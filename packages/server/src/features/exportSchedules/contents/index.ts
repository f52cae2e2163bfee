import type { ScheduledContent } from '@leitstand/contract/exportSchedules'
import type { Context } from '../../../platform/context.ts'
import { dashboardContent } from './dashboard.ts'
import type { Content, ContentKind } from './types.ts'
import { valuesContent } from './values.ts'

export type { Content, ContentRun } from './types.ts'

/** Looks up how a content is made. */
export type ContentsOf = (content: ScheduledContent) => Content

/** Every kind of content. */
export function contents(
  ctx: Context,
  parts: Parameters<typeof valuesContent>[1] & Parameters<typeof dashboardContent>[1],
): ContentsOf {
  const kinds: { [K in ContentKind]: Content<K> } = {
    values: valuesContent(ctx, parts),
    dashboard: dashboardContent(ctx, parts),
  }
  return ({ kind }) => kinds[kind] as Content
}
