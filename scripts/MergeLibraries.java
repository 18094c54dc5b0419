import java.io.IOException;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/**
 * Makes one jar of several, since whatever looks for a service, or for a class that is not there, opens all
 * jars, and each takes a JVM that starts more than half a millisecond. The first file counts where several
 * jars have one of the same name. Classes older than Java 6's format, as picocli's, are brought to Java 8's,
 * with the stack maps that the JVM verifies them by: it records the start of none that is older. The arguments
 * are the new jar and the others, which are on the class path, too.
 */
final class MergeLibraries {
  private MergeLibraries() {}

  public static void main(final String[] arguments) throws IOException {
    final Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.MULTI_RELEASE, "true");
    final Set<String> written = new HashSet<>(Set.of(JarFile.MANIFEST_NAME, "module-info.class"));
    try (JarOutputStream out =
        new JarOutputStream(Files.newOutputStream(Path.of(arguments[0])), manifest)) {
      for (int i = 1; i < arguments.length; i++) {
        add(Path.of(arguments[i]), out, written);
      }
    }
  }

  private static void add(final Path jar, final JarOutputStream out, final Set<String> written)
      throws IOException {
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar))) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        if (!entry.isDirectory() && written.add(entry.getName())) {
          final byte[] content = in.readAllBytes();
          out.putNextEntry(new ZipEntry(entry.getName()));
          out.write(entry.getName().endsWith(".class") ? raise(content) : content);
        } else if (entry.getName().startsWith("META-INF/services/") && !entry.isDirectory()) {
          throw new IOException("several libraries have " + entry.getName());
        }
      }
    }
  }

  private static byte[] raise(final byte[] content) {
    final ClassFile format = ClassFile.of(StackMapsOption.GENERATE_STACK_MAPS);
    final ClassModel model = format.parse(content);
    return model.majorVersion() >= ClassFile.JAVA_6_VERSION
        ? content
        : format.transformClass(model, MergeLibraries::raise);
  }

  private static void raise(final ClassBuilder raised, final ClassElement element) {
    switch (element) {
      case ClassFileVersion old -> raised.withVersion(ClassFile.JAVA_8_VERSION, 0);
      case MethodModel method when method.code().isPresent() ->
          raised.transformMethod(method, MethodTransform.transformingCode(CodeBuilder::with));
      default -> raised.with(element);
    }
  }
}
