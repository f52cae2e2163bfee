import type { TFunction } from 'i18next'
import { type ComponentType, createElement } from 'react'
import type { useCan } from '../../lib/session.ts'
import type { Slot } from '../../lib/slot.ts'
import type { DetailTab } from './DetailPage.tsx'

/** A tab that a feature adds to a page of an earlier one. */
export interface PageTab<Props> {
  key: string
  /** key of its text */
  label: string
  /** Loaded when the tab is opened. */
  Content: ComponentType<Props>
  /** Key of the page's own tab that follows it; absent: the last tab. */
  before?: string
  /** Absent: shown to everyone who sees the page. */
  isShown?: (can: ReturnType<typeof useCan>, props: Props) => boolean
}

/** The page's own tabs with those of a slot between them. */
export function withTabs<Props extends object>(
  own: readonly DetailTab[],
  slot: Slot<PageTab<Props>>,
  props: Props,
  { t, can }: { t: TFunction; can: ReturnType<typeof useCan> },
): DetailTab[] {
  const added = slot.parts
    .filter(({ isShown }) => isShown?.(can, props) ?? true)
    .map(({ key, label, Content, before }) => ({
      before,
      tab: { key, label: t(label), content: createElement(Content, props) },
    }))
  const beforeTab = (key: string | undefined) =>
    added.filter(({ before }) => before === key).map(({ tab }) => tab)
  return [...own.flatMap((tab) => [...beforeTab(tab.key), tab]), ...beforeTab(undefined)]
}
