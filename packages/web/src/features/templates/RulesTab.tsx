import { Button, Select, Switch, Text, UnstyledButton } from '@mantine/core'
import { IconBell, IconPlus } from '@tabler/icons-react'
import { Suspense, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { RuleSheet, type RuleStates, ruleSummary } from '../rules/index.ts'
import type { TemplateRule, TemplateState } from './queries.ts'
import { fromRuleDraft, missingKeys, newRuleDraft, toRuleDraft } from './rules.ts'
import { stateKey } from './states.ts'
import classes from './templates.module.css'
import type { SectionProps } from './templateTabs.tsx'

/** Maximum number of rules, as in the contract. */
const rulesMax = 50

/** The rules every device of the template has. */
export function RulesTab({ form, template, readOnly }: SectionProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<number | 'new' | null>(null)
  const { rules, states } = form.getValues()
  const ruleStates = useTemplateStates(states)
  const edited = typeof open === 'number' ? rules[open] : undefined
  const replace = (at: number, rule: TemplateRule) =>
    form.setFieldValue(
      'rules',
      rules.map((each, index) => (index === at ? rule : each)),
    )
  const fault = form.errors.rules
  const create = readOnly ? undefined : (
    <Button
      variant="default"
      leftSection={<Icon of={IconPlus} size={16} />}
      disabled={rules.length >= rulesMax || states.length === 0}
      onClick={() => setOpen('new')}
    >
      {t('rules.create')}
    </Button>
  )
  return (
    <>
      <Section
        title={t('templates.tab.rules')}
        description={t('templates.rulesText')}
        actions={rules.length > 0 ? create : undefined}
        flush
      >
        {fault ? (
          <p className={classes.fault} role="alert">
            {fault}
          </p>
        ) : null}
        {rules.length === 0 ? (
          <EmptyState
            icon={IconBell}
            title={t('templates.noRules')}
            text={t(states.length === 0 ? 'templates.rulesNeedStates' : 'templates.noRulesText')}
            action={create}
            compact
          />
        ) : (
          <ul className={classes.rules}>
            {rules.map((rule, index) => (
              <li key={rule.id ?? rule.title} className={classes.rule}>
                <Switch
                  aria-label={t('rules.activeOf', { title: rule.title })}
                  checked={rule.active}
                  disabled={readOnly}
                  onChange={(event) => replace(index, { ...rule, active: event.currentTarget.checked })}
                />
                <div className={classes.ruleText}>
                  {readOnly ? (
                    <Text fw={500}>{rule.title}</Text>
                  ) : (
                    <UnstyledButton className={classes.open ?? ''} onClick={() => setOpen(index)}>
                      {rule.title}
                    </UnstyledButton>
                  )}
                  <RuleText rule={rule} states={states} />
                </div>
                {readOnly ? null : (
                  <RemoveButton
                    label={t('templates.removeNamed', { title: rule.title })}
                    onClick={() => form.removeListItem('rules', index)}
                  />
                )}
              </li>
            ))}
          </ul>
        )}
      </Section>
      {open === null ? null : (
        <Suspense>
          <RuleSheet
            title={edited ? t('rules.editTitle', { title: edited.title }) : t('rules.createTitle')}
            start={edited ? toRuleDraft(edited, states) : newRuleDraft(t, states)}
            accountId={template.accountId}
            states={ruleStates}
            canTest={false}
            saveLabel={t('templates.take')}
            store={async (draft) => {
              const rule = fromRuleDraft(draft, states)
              if (typeof open === 'number')
                replace(open, { ...rule, ...(edited?.id ? { id: edited.id } : {}) })
              else form.setFieldValue('rules', [...rules, rule])
            }}
            onClose={() => setOpen(null)}
          />
        </Suspense>
      )}
    </>
  )
}

/** A rule as a sentence, and what it lacks. */
function RuleText({ rule, states }: { rule: TemplateRule; states: readonly TemplateState[] }) {
  const { t } = useTranslation()
  const missing = missingKeys(rule, states)
  const summary = ruleSummary(t, {
    ...rule,
    twinTitle: '',
    metrics: rule.metrics.map((metric) => {
      if (!('stateKey' in metric)) return { alias: metric.alias, operation: metric.operation }
      const state = states.find(({ key }) => key === metric.stateKey)
      return {
        ...metric,
        stateTitle: state?.title ?? metric.stateKey,
        twinTitle: '',
        unit: state?.unit ?? '',
      }
    }),
  })
  return (
    <>
      <Text size="sm" c="dimmed">
        {summary}
      </Text>
      {missing.length > 0 ? (
        <Text size="sm" c="var(--health-error)">
          {t('templates.ruleStateMissing', { keys: missing.join(', ') })}
        </Text>
      ) : null}
    </>
  )
}

/** The states of the template, for its rules. */
function useTemplateStates(states: readonly TemplateState[]): RuleStates {
  const { t } = useTranslation()
  return useMemo(() => {
    const data = states.map(({ title, unit }, index) => ({
      value: String(index + 1),
      label: unit ? `${title} [${unit}]` : title,
    }))
    return {
      pick: ({ label, value, onChange, error }) => (
        <Select
          label={label}
          required
          searchable
          placeholder={t('states.searchState')}
          data={data}
          value={value === null ? null : String(value)}
          onChange={(id) => onChange(id === null ? null : Number(id))}
          error={error}
          nothingFoundMessage={t('common.nothingFound')}
        />
      ),
      keyOf: async (number) => stateKey(number, states),
    }
  }, [states, t])
}
