import { IconArrowsMove, IconEye, IconKey, IconLockOpen } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { lookAs, useCan, useSession } from '../../lib/session.ts'
import { notifyError, notifySuccess } from '../../ui/feedback/notify.ts'
import { MoreMenu } from '../../ui/page/ActionMenu.tsx'
import { mayActAs } from './actAs.ts'
import { MoveUser } from './MoveUser.tsx'
import { invalidateUsers, type User } from './queries.ts'
import { stateOf } from './userList.ts'

/** Less frequent actions of a user: looking through their eyes, unlocking, a link for a new password, moving. Hidden where the server would refuse. */
export function UserActions({ user }: { user: User }) {
  const { t } = useTranslation()
  const can = useCan()
  const session = useSession()
  const cache = useQueryClient()
  const [moving, setMoving] = useState(false)
  if (!user.editable || !can('UserManagement', 'manage')) return null
  const act = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work()
      notifySuccess(done)
    } catch (error) {
      notifyError(error)
    }
    await invalidateUsers(cache)
  }
  return (
    <>
      <MoreMenu
        actions={[
          {
            label: t('impersonation.look'),
            icon: IconEye,
            onClick: () => void lookAs(user.id).catch((error: unknown) => notifyError(error)),
            hidden: !mayActAs(user, session) || !can('UserManagement', 'impersonate'),
          },
          {
            label: t('users.unlock'),
            icon: IconLockOpen,
            onClick: () => void act(() => client.user.unlock({ id: user.id }), t('users.unlockedNote')),
            hidden: stateOf(user, Date.now()) !== 'locked',
          },
          {
            label: t('users.resetLink'),
            icon: IconKey,
            onClick: () =>
              void act(
                () => client.user.sendResetLink({ id: user.id }),
                t('users.resetLinkNote', { email: user.email }),
              ),
            hidden: user.invited || !user.active,
          },
          { label: t('users.move.action'), icon: IconArrowsMove, onClick: () => setMoving(true) },
        ]}
      />
      <MoveUser user={user} opened={moving} onClose={() => setMoving(false)} />
    </>
  )
}
