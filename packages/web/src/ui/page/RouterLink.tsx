import { Anchor, type AnchorProps } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { MouseEventHandler, ReactNode } from 'react'
import { toLocation } from './location.ts'

interface RouterLinkProps extends AnchorProps {
  /** Path inside the console with its query, e.g. `/virtual-devices/12?tab=packets`. */
  to: string
  children: ReactNode
  title?: string
  tabIndex?: number
  onClick?: MouseEventHandler<HTMLAnchorElement>
}

/** A link to a screen of the console; a real anchor, so that a middle click opens a tab. */
export function RouterLink({ to, children, ...props }: RouterLinkProps) {
  const { to: path, search } = toLocation(to)
  return (
    <Anchor inherit {...props} renderRoot={(root) => <Link {...root} to={path} search={search} />}>
      {children}
    </Anchor>
  )
}
