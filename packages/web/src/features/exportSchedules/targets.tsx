import { exportScheduleLimits } from '@leitstand/contract/exportSchedules'
import { FileTarget } from '@leitstand/contract/fileTargets'
import { Button, Fieldset, Group, Menu, Select, Stack, Text, Textarea } from '@mantine/core'
import { IconPlugConnected, IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { useRowIds } from '../../ui/forms/useRowIds.ts'
import { ConnectorField, RecipientsField } from '../rules/index.ts'
import { notifyFailure } from './queries.ts'
import { type FieldProps, ServerFields, Words } from './ServerFields.tsx'
import type { StepProps } from './steps.tsx'
import { fileTargetOf, newTarget, type TargetValues, targetKinds } from './values.ts'

/** Where the file goes. */
export function WhereStep({ values, set, faultAt, copyOf }: StepProps) {
  const { t } = useTranslation()
  const { targets } = values
  const rows = useRowIds(targets.length)
  const isFull = targets.length >= exportScheduleLimits.targetsMax
  return (
    <Stack gap="md" maw={640}>
      {targets.map((target, at) => (
        <Fieldset key={rows.at(at)} legend={t(`exportSchedules.targetKinds.${target.kind}`)}>
          <Stack gap="sm">
            <TargetFields
              target={target}
              accountId={Number(values.accountId)}
              copyOf={copyOf}
              position={at}
              change={(to) =>
                set({ targets: targets.map((each, index) => (index === at ? { ...each, ...to } : each)) })
              }
              faultAt={(name) => faultAt(`targets.${at}.${name}`)}
            />
            {targets.length > 1 ? (
              <Group justify="flex-end">
                <RemoveButton
                  label={t('exportSchedules.removeTarget', { number: at + 1 })}
                  onClick={() => {
                    rows.remove(at)
                    set({ targets: targets.toSpliced(at, 1) })
                  }}
                />
              </Group>
            ) : null}
          </Stack>
        </Fieldset>
      ))}
      <Menu position="bottom-start">
        <Menu.Target>
          <Button
            variant="default"
            leftSection={<Icon of={IconPlus} />}
            disabled={isFull}
            style={{ alignSelf: 'start' }}
          >
            {t('exportSchedules.addTarget')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {targetKinds.map((kind) => (
            <Menu.Item key={kind} onClick={() => set({ targets: [...targets, newTarget(kind)] })}>
              {t(`exportSchedules.targetKinds.${kind}`)}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Stack>
  )
}

interface TargetProps extends FieldProps {
  accountId: number
  copyOf: number | undefined
  position: number
}

function TargetFields(props: TargetProps) {
  switch (props.target.kind) {
    case 'mail':
      return <MailFields {...props} />
    case 'connector':
      return <ConnectorFields {...props} />
    default:
      return (
        <>
          <ServerFields {...props} />
          <TryTarget {...props} />
        </>
      )
  }
}

function MailFields({ target, change, faultAt, accountId }: TargetProps) {
  const { t } = useTranslation()
  return (
    <>
      <RecipientsField
        accountId={accountId}
        value={target.recipients}
        max={exportScheduleLimits.recipientsMax}
        onChange={(recipients) => change({ recipients })}
        error={faultAt('recipients')}
        description={t('exportSchedules.recipientsHint')}
      />
      <Select
        label={t('exportSchedules.attach')}
        description={t('exportSchedules.attachHint')}
        allowDeselect={false}
        data={(['zip', 'link'] as const).map((way) => ({
          value: way,
          label: t(`exportSchedules.attachings.${way}`),
        }))}
        value={target.attach}
        onChange={(attach) => change({ attach: attach as TargetValues['attach'] })}
      />
    </>
  )
}

function ConnectorFields({ target, change, faultAt, accountId }: TargetProps) {
  const { t } = useTranslation()
  const { way, connectorId, forward } = target
  return (
    <>
      <Select
        label={t('exportSchedules.way')}
        allowDeselect={false}
        data={(['webhook', 'broker'] as const).map((each) => ({
          value: each,
          label: t(`exportSchedules.ways.${each}`),
        }))}
        value={way}
        onChange={(value) => change({ way: value as TargetValues['way'], connectorId: null })}
      />
      <ConnectorField
        accountId={accountId}
        capability={way === 'webhook' ? 'outgoing' : 'commands'}
        value={connectorId}
        onChange={(id) => change({ connectorId: id })}
        error={faultAt('connectorId')}
      />
      {way === 'broker' ? (
        <Words
          name="topic"
          placeholder="exports/monthly"
          required
          target={target}
          change={change}
          faultAt={faultAt}
        />
      ) : null}
      <Textarea
        label={t('exportSchedules.forward')}
        description={t('exportSchedules.forwardHint')}
        placeholder='{ "plant": "North" }'
        autosize
        minRows={2}
        maxRows={8}
        spellCheck={false}
        value={forward}
        onChange={(event) => change({ forward: event.currentTarget.value })}
        error={faultAt('forward')}
      />
    </>
  )
}

/** Stores a small file there and deletes it again. */
function TryTarget({ target, position, copyOf }: TargetProps) {
  const { t } = useTranslation()
  const entered = FileTarget.safeParse(fileTargetOf(target)).data
  const trying = useMutation({
    mutationFn: (tried: FileTarget) =>
      client.exportSchedules.checkTarget({
        what: 'target',
        target: tried,
        position,
        ...(target.secret === '' ? {} : { secret: target.secret }),
        ...(copyOf === undefined ? {} : { copyOf }),
      }),
    onSuccess: ({ left }) =>
      notifySuccess(
        left === null ? t('exportSchedules.tried') : t('exportSchedules.triedLeft', { name: left }),
      ),
    onError: notifyFailure,
  })
  return (
    <Group gap={8}>
      <Button
        variant="default"
        size="compact-md"
        leftSection={<Icon of={IconPlugConnected} size={14} />}
        disabled={entered === undefined}
        loading={trying.isPending}
        onClick={() => entered && trying.mutate(entered)}
      >
        {t('exportSchedules.try')}
      </Button>
      <Text size="xs" c="dimmed">
        {t('exportSchedules.tryHint')}
      </Text>
    </Group>
  )
}
