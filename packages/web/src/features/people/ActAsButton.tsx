import { Button } from '@mantine/core'
import { IconUserShare } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { impersonate, useCan, useSession } from '../../lib/session.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { notifyError } from '../../ui/feedback/notify.ts'
import { mayActAs, type Suitable } from './actAs.ts'

interface ActAsButtonProps {
  user: Suitable
}

/** Starts impersonating a user; hidden where the server would refuse it. */
export function ActAsButton({ user }: ActAsButtonProps) {
  const { t } = useTranslation()
  const can = useCan()
  const session = useSession()
  const begin = useMutation({
    mutationFn: () => impersonate(user.id),
    onError: (error) => notifyError(error),
  })
  if (!mayActAs(user, session) || !can('UserManagement', 'impersonate')) return null
  return (
    <Button
      variant="default"
      leftSection={<Icon of={IconUserShare} />}
      loading={begin.isPending || begin.isSuccess}
      onClick={() => begin.mutate()}
    >
      {t('impersonation.begin')}
    </Button>
  )
}
