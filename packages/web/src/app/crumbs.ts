import { activeNavPath, navigation, navLabel } from './nav.ts'

interface Shown {
  pathname: string
  /** title of the object shown, once it is known */
  own: string | null
  screenKey: string | undefined
}

/** The way to what is shown: the entry of the drawer, then the object or the screen. */
export function crumbsOf(
  { pathname, own, screenKey }: Shown,
  t: (key: string) => string,
): { label: string; to?: string }[] {
  const entryPath = activeNavPath(navigation, pathname)
  const crumbs: { label: string; to?: string }[] = []
  if (entryPath && (entryPath !== pathname || own))
    crumbs.push({ label: t(navLabel(entryPath)), to: entryPath })
  const last = own ?? (screenKey === undefined ? '' : t(`screens.${screenKey}.title`))
  if (crumbs.at(-1)?.label !== last) crumbs.push({ label: last })
  return crumbs
}
