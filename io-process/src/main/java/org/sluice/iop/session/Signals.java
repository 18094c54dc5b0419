package org.sluice.iop.session;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/**
 * Handlers of signals. They are set by reflection, since the compiler warns of {@code
 * sun.misc.Signal}, which has no replacement.
 */
final class Signals {
  private Signals() {}

  /**
   * Runs an action at each arrival of a signal, instead of the JVM's handler.
   *
   * @param name name of the signal, such as {@code TERM}
   * @return false when the JVM does not give the signal away
   */
  static boolean on(final String name, final Runnable action) {
    try {
      final Class<?> signal = Class.forName("sun.misc.Signal");
      final Class<?> handler = Class.forName("sun.misc.SignalHandler");
      final Object proxy =
          Proxy.newProxyInstance(
              Signals.class.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) -> {
                if (method.getName().equals("handle")) {
                  action.run();
                }
                return null;
              });
      final Method handle = signal.getMethod("handle", signal, handler);
      handle.invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
      return true;
    } catch (final InvocationTargetException takenByTheJvm) {
      return false;
    } catch (final ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
