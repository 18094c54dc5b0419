import java.io.ByteArrayOutputStream;
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
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/**
 * Brings the classes of a jar to Java 8's format, with the stack maps that the JVM verifies them by. The
 * JVM records the start of no class older than Java 6's, and the one it loads at every start, picocli, is
 * of Java 5. The jar is the argument, and on the class path.
 */
final class RaiseClassVersion {
  private RaiseClassVersion() {}

  public static void main(final String[] arguments) throws IOException {
    final Path jar = Path.of(arguments[0]);
    final ByteArrayOutputStream raised = new ByteArrayOutputStream();
    try (ZipInputStream in = new ZipInputStream(Files.newInputStream(jar));
        ZipOutputStream out = new ZipOutputStream(raised)) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        final byte[] content = in.readAllBytes();
        out.putNextEntry(new ZipEntry(entry.getName()));
        out.write(entry.getName().endsWith(".class") ? raise(content) : content);
      }
    }
    Files.write(jar, raised.toByteArray());
  }

  private static byte[] raise(final byte[] content) {
    final ClassFile format = ClassFile.of(StackMapsOption.GENERATE_STACK_MAPS);
    final ClassModel model = format.parse(content);
    return model.majorVersion() >= ClassFile.JAVA_8_VERSION
        ? content
        : format.transformClass(model, RaiseClassVersion::raise);
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
