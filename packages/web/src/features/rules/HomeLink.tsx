import type { Rule } from '@leitstand/contract/rules'
import { useCan } from '../../lib/session.ts'
import { RouterLink } from '../../ui/page/RouterLink.tsx'
import { homeOf } from './home.ts'

/** What a rule belongs to, with a link for those who may open it. */
export function HomeLink({
  rule,
}: {
  rule: Pick<Rule, 'dtwinId' | 'twinTitle' | 'twinCategory' | 'template'>
}) {
  const can = useCan()
  const { title, path } = homeOf(rule)
  const mayOpen = rule.dtwinId !== null || can('DeviceTemplate', 'read') || can('DeviceTemplate', 'manage')
  return mayOpen ? (
    <RouterLink to={path} c="inherit">
      {title}
    </RouterLink>
  ) : (
    title
  )
}
