import { useNavigate } from '@tanstack/react-router'
import { useUser } from '../../../lib/session.ts'
import { keepForDetour } from '../../../ui/forms/detour.ts'

/** The wizards that continue with a connector that was created on the way, and their parameters. */
const params = { device: 'create', import: 'import' } as const

/** Leaves a wizard to create a connector; the way back, also by the browser's button, finds what was entered. */
export function useConnectorDetour(wizard: keyof typeof params) {
  const navigate = useNavigate()
  const user = useUser()
  return async (input: object, accountId: string | null) => {
    keepForDetour(wizard, user.id, input)
    const { [wizard]: param } = params
    const to = '/virtual-devices'
    await navigate({ to, search: { [param]: '1', draft: '1' }, replace: true, ignoreBlocker: true })
    await navigate({
      to: '/connectors/create',
      search: { next: wizard, ...(accountId === null ? {} : { account: accountId }) },
      ignoreBlocker: true,
    })
  }
}
