import { activeNavPath, navigation } from './nav.ts'
import { type ScreenRoute, screens } from './routes.ts'

/** Built screens of the same drawer group that open without parameters; home if there are none. */
export function nearbyScreens(screen: ScreenRoute): ScreenRoute[] {
  if (screen.layout !== 'shell') return screens.filter((other) => other.path === '/home')
  const open = screens.filter((other) => other.load && other.layout === 'shell' && !other.path.includes('$'))
  const group = navigation.find((each) => activeNavPath([each], screen.path) !== undefined)
  const near = open
    .filter(
      (other) => group && activeNavPath([group], other.path) !== undefined && other.path !== '/user-profile',
    )
    .slice(0, 5)
  return near.length > 0 ? near : open.filter((other) => other.path === '/home')
}
