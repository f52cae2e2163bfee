import type { RuleStateTrigger } from '@leitstand/contract/rules/triggers/rule'
import { Select } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../../lib/api.ts'
import classes from '../../rules.module.css'
import type { TriggerFormProps } from '../types.ts'

const kinds = ['fired', 'met', 'unmet'] as const
const shownMax = 30

/** Chooses another rule by its name or that of its twin. */
export default function RuleStateForm({ trigger, faultAt, onChange }: TriggerFormProps<RuleStateTrigger>) {
  const { t } = useTranslation()
  const [search, setSearch] = useState('')
  const [asked] = useDebouncedValue(search, 200)
  const known = useQuery({
    ...api.ddr.get.queryOptions({ input: { id: trigger.ruleId } }),
    enabled: trigger.ruleId > 0,
  })
  const chosen = known.data
  const nameOf = ({ title, twinTitle }: { title: string; twinTitle: string }) => `${twinTitle} › ${title}`
  const term = chosen !== undefined && asked === nameOf(chosen) ? '' : asked
  const found = useQuery({
    ...api.ddr.overviewList.queryOptions({ input: { search: term, limit: shownMax } }),
    placeholderData: keepPreviousData,
  })
  const rules = new Map((found.data?.items ?? []).map((each) => [each.id, each]))
  if (chosen) rules.set(chosen.id, chosen)
  return (
    <div className={classes.entryHead}>
      <Select
        label={t('rules.triggers.rule')}
        required
        searchable
        data={[...rules.values()].map((each) => ({ value: String(each.id), label: nameOf(each) }))}
        // The server has searched, with more than the label.
        filter={({ options }) => options}
        value={trigger.ruleId > 0 ? String(trigger.ruleId) : null}
        onChange={(id) => onChange({ ...trigger, ruleId: Number(id ?? 0) })}
        searchValue={search}
        onSearchChange={setSearch}
        nothingFoundMessage={t('list.nothingMatches')}
        error={faultAt('ruleId') ?? (known.isError ? t('rules.triggers.ruleGone') : null)}
      />
      <Select
        label={t('rules.triggers.on')}
        w={220}
        allowDeselect={false}
        data={kinds.map((on) => ({ value: on, label: t(`rules.triggers.ruleOn.${on}`) }))}
        value={trigger.on}
        onChange={(on) => onChange({ ...trigger, on: (on ?? 'fired') as RuleStateTrigger['on'] })}
      />
    </div>
  )
}
