import {
  type WarnChoice,
  type WarnMonitor,
  type WarnStateInput,
  warnLimits,
} from '@leitstand/contract/warnapp'
import { Button, Drawer, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconDeviceTv } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../lib/api.ts'
import { describeError } from '../../lib/errors.ts'
import { CopyButton } from '../../ui/display/CopyButton.tsx'
import { Icon } from '../../ui/display/Icon.tsx'
import { QrCode } from '../../ui/display/QrCode.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { EditorSheet } from '../../ui/forms/EditorSheet.tsx'
import { Section } from '../../ui/page/Section.tsx'
import { faultOf, firstLimits, monitorAddress } from './draft.ts'
import { MediaFields } from './MediaFields.tsx'
import { StateLimits } from './StateLimits.tsx'

const size = 760
const choicesMax = 1000

/** Sets up the monitor of a twin. */
export default function MonitorSheet({ id, onClose }: { id: number; onClose: () => void }) {
  const { t } = useTranslation()
  const monitor = useQuery(
    api.isWarnapp.get.queryOptions({ input: { id }, retry: false, staleTime: 0, gcTime: 0 }),
  )
  const choices = useQuery(
    api.isWarnapp.choices.queryOptions({ input: { id, limit: choicesMax }, refetchInterval: 15_000 }),
  )
  const isNew = monitor.isError && describeError(monitor.error).code === 'WARN_MONITOR_NOT_FOUND'
  const error = choices.error ?? (isNew ? null : monitor.error)
  if (choices.data && (isNew || monitor.data))
    return <MonitorForm id={id} stored={monitor.data} choices={choices.data.items} onClose={onClose} />
  return (
    <Drawer opened onClose={onClose} position="right" size={size} title={t('warnapp.monitor')}>
      {error === null ? (
        <Loading />
      ) : (
        <ErrorState
          error={error}
          onRetry={() => {
            void monitor.refetch()
            void choices.refetch()
          }}
        />
      )}
    </Drawer>
  )
}

interface FormProps {
  id: number
  stored: WarnMonitor | undefined
  choices: readonly WarnChoice[]
  onClose: () => void
}

function MonitorForm({ id, stored, choices, onClose }: FormProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  /** as this form knows it: what others change meanwhile is a conflict */
  const [base, setBase] = useState(stored)
  const [title, setTitle] = useState(stored?.ownTitle ?? '')
  const [states, setStates] = useState<readonly WarnStateInput[]>(() => statesOf(stored))
  const [isTried, setTried] = useState(false)
  const saved = (monitor: WarnMonitor) => {
    setBase(monitor)
    return cache.invalidateQueries({ queryKey: api.isWarnapp.list.key() })
  }
  const save = useMutation(
    api.isWarnapp.save.mutationOptions({
      onSuccess: (monitor) => {
        notifySuccess(t('warnapp.saved', { title: monitor.title }))
        setTried(false)
        return saved(monitor)
      },
    }),
  )
  const isDirty =
    title.trim() !== (base?.ownTitle ?? '') || JSON.stringify(states) !== JSON.stringify(statesOf(base))
  const isFaulty = states.length === 0 || states.some(({ limits }) => faultOf(limits) !== undefined)
  const submit = () => {
    setTried(true)
    if (!isFaulty) save.mutate({ id, version: base?.version ?? null, title, states: [...states] })
  }
  const free = choices.filter(
    ({ stateId, valueType }) => valueType !== 'json' && !states.some((state) => state.stateId === stateId),
  )
  return (
    <EditorSheet
      title={base?.title ?? t('warnapp.create')}
      size={size}
      saveLabel={t('common.save')}
      dirty={isDirty}
      busy={save.isPending}
      failure={save.error ?? undefined}
      onSave={submit}
      onClose={onClose}
    >
      <TextInput
        label={t('warnapp.field.title')}
        description={t('warnapp.titleHint')}
        maxLength={warnLimits.titleMax}
        value={title}
        onChange={(event) => setTitle(event.currentTarget.value)}
      />
      <Section title={t('warnapp.field.states')} description={t('warnapp.statesHint')}>
        <Stack gap="md">
          {states.map((state) => (
            <StateLimits
              key={state.stateId}
              choice={choices.find(({ stateId }) => stateId === state.stateId)}
              state={state}
              isTried={isTried}
              onChange={(changed) =>
                setStates((all) => all.map((each) => (each.stateId === state.stateId ? changed : each)))
              }
              onRemove={() => setStates((all) => all.filter(({ stateId }) => stateId !== state.stateId))}
            />
          ))}
          {states.length < warnLimits.statesMax ? (
            <Select
              label={t('warnapp.addState')}
              placeholder={t('warnapp.addStatePlaceholder')}
              data={free.map(({ stateId, title: name }) => ({ value: String(stateId), label: name }))}
              value={null}
              searchable
              nothingFoundMessage={t('warnapp.noFreeState')}
              error={isTried && states.length === 0 ? t('warnapp.faults.noStates') : undefined}
              onChange={(value) => {
                const choice = free.find(({ stateId }) => String(stateId) === value)
                if (choice === undefined) return
                const { stateId, valueType } = choice
                setStates((all) => [...all, { stateId, limits: firstLimits(valueType), silentMinutes: null }])
              }}
            />
          ) : null}
        </Stack>
      </Section>
      {base === undefined ? (
        <Text size="sm" c="dimmed">
          {t('warnapp.mediaLater')}
        </Text>
      ) : (
        <>
          <MediaFields monitor={base} onChange={(monitor) => void saved(monitor)} />
          <Section title={t('warnapp.address')} description={t('warnapp.addressHint')}>
            <Group gap="lg" align="center">
              <QrCode text={monitorAddress(id)} label={t('warnapp.code')} />
              <Stack gap={8}>
                <Button
                  component="a"
                  href={monitorAddress(id)}
                  target="_blank"
                  rel="noopener"
                  variant="default"
                  leftSection={<Icon of={IconDeviceTv} />}
                >
                  {t('warnapp.openMonitor')}
                </Button>
                <CopyButton value={monitorAddress(id)} label={t('warnapp.copyAddress')} />
              </Stack>
            </Group>
          </Section>
        </>
      )}
    </EditorSheet>
  )
}

function statesOf(monitor: WarnMonitor | undefined): WarnStateInput[] {
  return (monitor?.states ?? []).map(({ stateId, limits, silentMinutes }) => ({
    stateId,
    limits,
    silentMinutes,
  }))
}
