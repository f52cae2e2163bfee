import { useMantineTheme } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'

export const phone = '(max-width: 599.98px)'

const atOnce = { getInitialValueInEffect: false }

/** Whether the window is at least as wide as each breakpoint of columns. */
export function useRoom(): Record<'xs' | 'sm' | 'md', boolean> {
  const { breakpoints } = useMantineTheme()
  return {
    xs: useMediaQuery(`(min-width: ${breakpoints.xs})`, undefined, atOnce),
    sm: useMediaQuery(`(min-width: ${breakpoints.sm})`, undefined, atOnce),
    md: useMediaQuery(`(min-width: ${breakpoints.md})`, undefined, atOnce),
  }
}
