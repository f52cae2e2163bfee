import { Button } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { toLocation } from '../../../ui/page/location.ts'

/** A button that leads to a screen of the console. */
export function LinkButton({ to, children }: { to: string; children: ReactNode }) {
  const { to: path, search } = toLocation(to)
  return (
    <Button variant="default" renderRoot={(root) => <Link {...root} to={path} search={search} />}>
      {children}
    </Button>
  )
}
