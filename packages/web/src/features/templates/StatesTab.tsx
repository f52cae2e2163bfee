import { ActionIcon, Button, MultiSelect, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconGauge, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../ui/display/Icon.tsx'
import { thingIcon } from '../../ui/display/icons.ts'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { SimpleTable } from '../../ui/list/SimpleTable.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { emptyState, StateSheet } from '../twins/index.ts'
import { DriverStates } from './DriverStates.tsx'
import { fromStateForm, stateNumber, toStateForm } from './states.ts'
import classes from './templates.module.css'
import type { SectionProps } from './templateTabs.tsx'

/** Maximum number of states, as in the contract. */
const statesMax = 200

const sources = ['connector', 'none', 'aggregate', 'random'] as const

/** The states every device of the template has, in their order. */
export function StatesTab({ form, template, readOnly }: SectionProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<number | 'new' | null>(null)
  const { states, driverId } = form.getValues()
  const edited = typeof open === 'number' ? states[open] : undefined
  const fault = form.errors.states
  const add = (
    <Button
      variant="default"
      leftSection={<Icon of={IconPlus} size={16} />}
      disabled={states.length >= statesMax}
      onClick={() => setOpen('new')}
    >
      {t('states.create')}
    </Button>
  )
  const actions = readOnly ? undefined : (
    <>
      <DriverStates
        driverId={driverId}
        states={states}
        onAdd={(more) => form.setFieldValue('states', [...states, ...more].slice(0, statesMax))}
      />
      {add}
    </>
  )
  return (
    <>
      <Section
        title={t('templates.tab.states')}
        description={fault ? undefined : t('templates.statesText')}
        actions={actions}
        flush
      >
        {fault ? (
          <p className={classes.fault} role="alert">
            {fault}
          </p>
        ) : null}
        {states.length === 0 ? (
          <EmptyState
            icon={IconGauge}
            title={t('templates.noStates')}
            text={t('templates.noStatesText')}
            compact
          />
        ) : (
          <SimpleTable
            label={t('templates.tab.states')}
            rows={states}
            rowKey={({ key }) => key}
            inset="md"
            columns={[
              {
                key: 'title',
                title: t('states.title'),
                render: (state, index) => (
                  <span className={classes.name}>
                    <Icon of={thingIcon(state.icon, IconGauge)} />
                    <span>
                      {readOnly ? (
                        state.title
                      ) : (
                        <UnstyledButton className={classes.open ?? ''} onClick={() => setOpen(index)}>
                          {state.title}
                        </UnstyledButton>
                      )}
                      <span className={classes.key}>{state.key}</span>
                    </span>
                  </span>
                ),
              },
              {
                key: 'source',
                title: t('states.source'),
                render: ({ source }) => t(`states.sources.${source}`),
              },
              {
                key: 'type',
                title: t('states.valueType'),
                render: ({ valueType, unit }) =>
                  `${t(`states.valueTypes.${valueType}`)}${unit ? ` [${unit}]` : ''}`,
              },
              {
                key: 'actions',
                title: t('list.rowMenu'),
                width: 120,
                card: 'menu',
                render: ({ title }, index) =>
                  readOnly ? null : (
                    <span className={classes.actions}>
                      <ActionIcon
                        aria-label={t('templates.moveUp', { title })}
                        disabled={index === 0}
                        className={classes.quiet ?? ''}
                        onClick={() => form.reorderListItem('states', { from: index, to: index - 1 })}
                      >
                        <Icon of={IconArrowUp} size={16} />
                      </ActionIcon>
                      <ActionIcon
                        aria-label={t('templates.moveDown', { title })}
                        disabled={index === states.length - 1}
                        className={classes.quiet ?? ''}
                        onClick={() => form.reorderListItem('states', { from: index, to: index + 1 })}
                      >
                        <Icon of={IconArrowDown} size={16} />
                      </ActionIcon>
                      <RemoveButton
                        label={t('templates.removeNamed', { title })}
                        onClick={() => form.removeListItem('states', index)}
                      />
                    </span>
                  ),
              },
            ]}
          />
        )}
      </Section>
      {open === null ? null : (
        <StateSheet
          title={edited ? t('states.editTitle', { title: edited.title }) : t('states.createTitle')}
          initial={edited ? toStateForm(edited, states) : { ...emptyState, source: 'connector' }}
          accountId={template.accountId}
          category="virtualDevice"
          sources={sources}
          sourcesPicker={(sheet) => (
            <MultiSelect
              label={t('states.aggregateOf')}
              required
              searchable
              data={states
                .filter((state) => state !== edited)
                .map((state) => ({ value: String(stateNumber(state.key, states)), label: state.title }))}
              value={sheet.values.stateIds.map(String)}
              onChange={(ids) => sheet.setFieldValue('stateIds', ids.map(Number))}
              error={sheet.errors.stateIds}
            />
          )}
          isKeyFixed={edited !== undefined}
          takenKeys={states.filter((state) => state !== edited).map(({ key }) => key)}
          saveLabel={t('templates.take')}
          store={async (values) => {
            const state = fromStateForm(values, states)
            form.setFieldValue(
              'states',
              edited ? states.map((each) => (each === edited ? state : each)) : [...states, state],
            )
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </>
  )
}
