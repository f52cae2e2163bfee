import { Menu } from '@mantine/core'
import { IconBellZ, IconCalendarTime } from '@tabler/icons-react'
import type { ReactElement } from 'react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatTime } from '../../lib/format.ts'
import { DateTimeField } from '../../ui/forms/DateTimeField.tsx'
import { DialogForm, useDialogForm } from '../../ui/forms/DialogForm.tsx'
import { FormModal } from '../../ui/forms/FormModal.tsx'
import { snoozeSpans, snoozeUntil } from './snooze.ts'

interface SnoozeMenuProps {
  onChosen: (until: Date) => void
  /** the button */
  children: ReactElement
}

/** For how long an alarm is set aside: common spans, and any other time. */
export function SnoozeMenu({ onChosen, children }: SnoozeMenuProps) {
  const { t } = useTranslation()
  const [own, setOwn] = useState(false)
  const now = new Date()
  return (
    <>
      <Menu withinPortal position="bottom-start">
        <Menu.Target>{children}</Menu.Target>
        <Menu.Dropdown>
          {snoozeSpans.map((span) => {
            const until = snoozeUntil(span, now)
            return (
              <Menu.Item
                key={span}
                leftSection={<IconBellZ size={16} aria-hidden />}
                rightSection={<span className="dimmed">{formatTime(until.toISOString())}</span>}
                onClick={() => onChosen(snoozeUntil(span, new Date()))}
              >
                {t(`alarms.snoozeSpans.${span}`)}
              </Menu.Item>
            )
          })}
          <Menu.Item leftSection={<IconCalendarTime size={16} aria-hidden />} onClick={() => setOwn(true)}>
            {t('alarms.snoozeOwn')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {own ? <SnoozeDialog onChosen={onChosen} onClose={() => setOwn(false)} /> : null}
    </>
  )
}

/** Any time until which alarms are set aside. */
export function SnoozeDialog({
  onChosen,
  onClose,
}: {
  onChosen: (until: Date) => void
  onClose: () => void
}) {
  const { t } = useTranslation()
  return (
    <FormModal
      opened
      onClose={onClose}
      title={t('alarms.snooze')}
      closeButtonProps={{ 'aria-label': t('common.close') }}
      centered
    >
      <SnoozeForm onChosen={onChosen} onClose={onClose} />
    </FormModal>
  )
}

function SnoozeForm({ onChosen, onClose }: { onChosen: (until: Date) => void; onClose: () => void }) {
  const { t } = useTranslation()
  const { values, set, faultAt, form } = useDialogForm({
    initial: () => ({ until: '' }),
    faultsOf: ({ until }) => {
      if (until === '') return { until: t('validation.required') }
      return new Date(until) > new Date() ? {} : { until: t('alarms.snoozePast') }
    },
    save: async ({ until }) => {
      onChosen(new Date(until))
      return null
    },
    onMade: () => undefined,
    onClose,
  })
  return (
    <DialogForm form={form} saveLabel={t('alarms.snooze')}>
      <DateTimeField
        label={t('alarms.snoozeUntil')}
        value={values.until}
        onChange={(until) => set({ until })}
        error={faultAt('until')}
      />
    </DialogForm>
  )
}
