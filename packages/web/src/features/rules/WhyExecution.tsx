import type { Execution, Rule } from '@leitstand/contract/rules'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../lib/api.ts'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { Explanation } from './Explanation.tsx'

/** Why a rule did or did not fire, with the names of its metrics as they are now. */
export default function WhyExecution({ execution }: { execution: Omit<Execution, 'actions'> }) {
  const rule = useQuery(api.ddr.get.queryOptions({ input: { id: execution.ruleId } }))
  if (rule.isPending) return <Loading lines={3} />
  // Without the rule, which may be deleted by now, its metrics have only their aliases.
  return (
    <Explanation execution={{ ...execution, actions: [] }} rule={(rule.data as Rule | undefined) ?? null} />
  )
}
