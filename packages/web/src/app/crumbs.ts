import { activeNavPath, navigation, navLabel } from './nav.ts'

interface Shown {
  pathname: string
  /** title of the object shown, once it is known */
  own: string | null
  screenKey: string | undefined
}

/** The way to what is shown: the group and entry of the drawer, then the object or the screen. */
export function crumbsOf(
  { pathname, own, screenKey }: Shown,
  t: (key: string) => string,
): { label: string; to?: string }[] {
  const entryPath = activeNavPath(navigation, pathname)
  const parent = navigation
    .flatMap((group) => group.items)
    .find((item) => item.children?.some((child) => child.path === entryPath))
  const crumbs: { label: string; to?: string }[] = []
  if (parent?.label) crumbs.push({ label: t(parent.label) })
  if (entryPath && (entryPath !== pathname || own)) {
    const entry = { label: t(navLabel({ path: entryPath })), to: entryPath }
    // Skip the group when its name equals its first screen's.
    if (crumbs.at(-1)?.label === entry.label) crumbs.pop()
    crumbs.push(entry)
  }
  const last = own ?? (screenKey === undefined ? '' : t(`screens.${screenKey}.title`))
  if (crumbs.at(-1)?.label !== last) crumbs.push({ label: last })
  return crumbs
}
