import { Button } from '@mantine/core'
import { IconDeviceMobileOff } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { useCan, useUser } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'

interface ResetFactorButtonProps {
  user: { id: number; username: string; editable: boolean; invited: boolean }
}

/** Resets the second factor of a user who has lost the phone and the recovery codes. */
export function ResetFactorButton({ user }: ResetFactorButtonProps) {
  const { t } = useTranslation()
  const can = useCan()
  const self = useUser()
  const [asking, setAsking] = useState(false)
  if (user.id === self.id || !user.editable || user.invited || !can('UserManagement', 'manage')) return null
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon of={IconDeviceMobileOff} />}
        onClick={() => setAsking(true)}
      >
        {t('twoFactor.reset')}
      </Button>
      <ConfirmDanger
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('twoFactor.reset')}
        text={t('twoFactor.resetText', { name: user.username })}
        confirmLabel={t('twoFactor.reset')}
        onConfirm={async () => {
          await client.twofactor.reset({ id: user.id })
          notifySuccess(t('twoFactor.disabled'))
        }}
      />
    </>
  )
}
