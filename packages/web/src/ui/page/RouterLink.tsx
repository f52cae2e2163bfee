import { Anchor, type AnchorProps, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { MouseEventHandler, ReactNode } from 'react'
import { useStore } from '../../lib/store.ts'
import { visitorStore } from '../../lib/visitor.ts'
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
  const isVisitor = useStore(visitorStore) !== null
  if (isVisitor && !to.startsWith('/public/')) {
    // The sign-in page is no answer for visitors of a public page.
    const { title: _, tabIndex: __, onClick: ___, underline: ____, ...look } = props
    return (
      <Text span inherit={props.size === undefined} {...look}>
        {children}
      </Text>
    )
  }
  const { to: path, search } = toLocation(to)
  return (
    <Anchor inherit {...props} renderRoot={(root) => <Link {...root} to={path} search={search} />}>
      {children}
    </Anchor>
  )
}
