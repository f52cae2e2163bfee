import type { UseFormReturnType } from '@mantine/form'
import type { TFunction } from 'i18next'
import type { DetailTab } from '../../ui/page/DetailPage.tsx'
import { DriverTab } from './DriverTab.tsx'
import { HealthTab } from './HealthTab.tsx'
import { MetaTab } from './MetaTab.tsx'
import type { Template } from './queries.ts'
import { RulesTab } from './RulesTab.tsx'
import { StatesTab } from './StatesTab.tsx'
import type { TemplateValues } from './values.ts'

/** Props of an editor section. */
export interface SectionProps {
  form: UseFormReturnType<TemplateValues>
  template: Template
  readOnly: boolean
}

/** The tabs of the form, the same for the draft and the productive template. */
export function templateTabs({ t, ...section }: SectionProps & { t: TFunction }): DetailTab[] {
  const { health, states, rules } = section.form.getValues()
  return [
    { key: 'meta', label: t('templates.tab.meta'), content: <MetaTab {...section} /> },
    { key: 'driver', label: t('templates.tab.driver'), content: <DriverTab {...section} /> },
    {
      key: 'health',
      label: t('templates.tab.health'),
      count: health?.entries.length,
      content: <HealthTab {...section} />,
    },
    {
      key: 'states',
      label: t('templates.tab.states'),
      count: states.length,
      content: <StatesTab {...section} />,
    },
    {
      key: 'rules',
      label: t('templates.tab.rules'),
      count: rules.length,
      content: <RulesTab {...section} />,
    },
  ]
}
