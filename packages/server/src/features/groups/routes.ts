import type { Context } from '../../platform/context.ts'
import { os } from '../../platform/http/implement.ts'
import { deviceViews, stateViews, twinViews } from './kinds.ts'
import { viewsOf } from './views.ts'

/** Saved filters of the device list. */
export function viewRoutes(ctx: Context) {
  const views = viewsOf(ctx, deviceViews)
  return {
    list: os.view.list.handler(({ input, context: { caller } }) => views.list(caller, input)),
    get: os.view.get.handler(({ input, context: { caller } }) => views.get(caller, input.id)),
    create: os.view.create.handler(({ input, context: { caller } }) => views.create(caller, input)),
    update: os.view.update.handler(({ input, context: { caller } }) => views.update(caller, input)),
    delete: os.view.delete.handler(({ input, context: { caller } }) => views.delete(caller, input.id)),
  }
}

/** Saved filters of the overview of states. */
export function stateViewRoutes(ctx: Context) {
  const views = viewsOf(ctx, stateViews)
  return {
    list: os.stateView.list.handler(({ input, context: { caller } }) => views.list(caller, input)),
    get: os.stateView.get.handler(({ input, context: { caller } }) => views.get(caller, input.id)),
    create: os.stateView.create.handler(({ input, context: { caller } }) => views.create(caller, input)),
    update: os.stateView.update.handler(({ input, context: { caller } }) => views.update(caller, input)),
    delete: os.stateView.delete.handler(({ input, context: { caller } }) => views.delete(caller, input.id)),
  }
}

/** Saved filters of the list of twins. */
export function twinViewRoutes(ctx: Context) {
  const views = viewsOf(ctx, twinViews)
  return {
    list: os.twinView.list.handler(({ input, context: { caller } }) => views.list(caller, input)),
    get: os.twinView.get.handler(({ input, context: { caller } }) => views.get(caller, input.id)),
    create: os.twinView.create.handler(({ input, context: { caller } }) => views.create(caller, input)),
    update: os.twinView.update.handler(({ input, context: { caller } }) => views.update(caller, input)),
    delete: os.twinView.delete.handler(({ input, context: { caller } }) => views.delete(caller, input.id)),
  }
}
